"""Exceptions: NumPy's own classes where NumPy is installed, so that `except numpy.exceptions.AxisError`
catches Brio's errors."""

__all__ = ["AxisError", "ComplexWarning", "LinAlgError", "RankWarning", "TooHardError"]

try:
    from numpy.exceptions import AxisError, ComplexWarning, RankWarning, TooHardError
    from numpy.linalg import LinAlgError
except ImportError:

    class AxisError(ValueError, IndexError):
        """An axis is out of bounds."""

    class ComplexWarning(RuntimeWarning):
        """An imaginary part is discarded."""

    class RankWarning(RuntimeWarning):
        """A matrix is rank deficient."""

    class TooHardError(RuntimeError):
        """An exact answer would take too long."""

    class LinAlgError(ValueError):
        """A matrix does not allow the operation."""
