"""The comparison behind `--verify`: a result of Brio's beside NumPy's."""

import os
import sys

import numpy as np

# Units in the last place, of the larger magnitude in the array's neighbourhood, that an operation whose
# last digits may differ is allowed; a region of several such operations adds up.
_TOLERANCE = {"float32": 64 * np.finfo(np.float32).eps, "float64": 64 * np.finfo(np.float64).eps}
_NUMPY = os.path.dirname(np.__file__)
_shown = 0


def differs(ours, theirs, exact, terms=None):
    """Whether the results disagree; the first few disagreements are told on stderr.

    terms: the array that a sum, mean or product went over.
    """
    problem = _difference(ours, theirs, exact, terms)
    if problem is None:
        return False
    global _shown
    _shown += 1
    if _shown <= 10:
        frame = sys._getframe(1)
        while frame.f_back and frame.f_code.co_filename.startswith(_NUMPY):
            frame = frame.f_back
        where = f"{frame.f_code.co_filename}:{frame.f_lineno}: "
        print(f"brio: verify: {where}{problem}", file=sys.stderr)
    return True


def _difference(ours, theirs, exact, terms):
    if type(ours) is not type(theirs) or ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f"{type(ours).__name__} {ours.dtype} {ours.shape}, not {type(theirs).__name__} {theirs.dtype} {theirs.shape}"
    if ours.strides != theirs.strides:
        return f"strides {ours.strides}, not {theirs.strides}"
    if exact or ours.dtype.kind != "f":
        equal = np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f")
        return None if equal else "an exact result differs"
    tolerance = _TOLERANCE[str(ours.dtype)]
    with np.errstate(all="ignore"):
        # Where terms cancel, what is left of their errors is small beside the terms, not beside the result.
        scale = _largest(theirs)
        if terms is not None and ours.size:
            scale += float(np.abs(terms[np.isfinite(terms)], dtype=np.float64).sum()) / ours.size
        close = np.isclose(ours, theirs, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
    return None if close.all() else f"{int((~close).sum())} of {close.size} elements beyond the tolerance"


def _largest(values):
    """The largest magnitude among the finite ones."""
    values = np.asarray(values)
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max()) if finite.size else 0.0
