"""`ulab.scipy.linalg`."""

from .._unmodelled import unmodelled as _unmodelled

cho_solve = _unmodelled("scipy.linalg.cho_solve")
solve_triangular = _unmodelled("scipy.linalg.solve_triangular")
