"""`ulab.numpy.linalg`."""

from .._linalg import det, inv, norm
from .._unmodelled import unmodelled as _unmodelled

cholesky = _unmodelled("numpy.linalg.cholesky")
eig = _unmodelled("numpy.linalg.eig")
qr = _unmodelled("numpy.linalg.qr")

__all__ = ["cholesky", "det", "eig", "inv", "norm", "qr"]
