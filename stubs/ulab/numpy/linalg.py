"""`ulab.numpy.linalg`."""

from .._linalg import cholesky, det, eig, inv, norm, qr

__all__ = ["cholesky", "det", "eig", "inv", "norm", "qr"]
