"""`ulab.scipy`: the names that OpenMV's build has; none is imitated."""

from . import integrate, linalg, signal

__all__ = ["integrate", "linalg", "signal"]
