"""`ulab.scipy.integrate`."""

from .._unmodelled import unmodelled as _unmodelled

quad = _unmodelled("scipy.integrate.quad")
romberg = _unmodelled("scipy.integrate.romberg")
simpson = _unmodelled("scipy.integrate.simpson")
tanhsinh = _unmodelled("scipy.integrate.tanhsinh")
