"""`ulab.scipy.signal`."""

from .._unmodelled import unmodelled as _unmodelled

sosfilt = _unmodelled("scipy.signal.sosfilt")
