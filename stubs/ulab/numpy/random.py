"""`ulab.numpy.random`: only the name exists here."""

from .._unmodelled import unmodelled as _unmodelled

Generator = _unmodelled("numpy.random.Generator")
