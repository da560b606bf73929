"""The signatures of functions that are made of methods, for inspect and help."""

import inspect

_REDUCED = "axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True"
_EXTREME = "axis=None, out=None, keepdims=False, initial=None, where=True"
_SPREAD = "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, correction=0"
_SCANNED = "axis=None, dtype=None, out=None"
_SORTED = "axis=-1, kind=None, order=None, *, stable=None, descending=False"

_PARAMETERS = {
    **dict.fromkeys(("sum", "prod"), _REDUCED),
    **dict.fromkeys(("max", "min", "amax", "amin"), _EXTREME),
    **dict.fromkeys(("all", "any"), "axis=None, out=None, keepdims=False, where=True"),
    "mean": "axis=None, dtype=None, out=None, keepdims=False, *, where=True",
    **dict.fromkeys(("var", "std"), _SPREAD),
    **dict.fromkeys(("argmax", "argmin"), "axis=None, out=None, *, keepdims=False"),
    "count_nonzero": "axis=None, *, keepdims=False",
    **dict.fromkeys(("cumsum", "cumprod"), _SCANNED),
    **dict.fromkeys(("cumulative_sum", "cumulative_prod"), "*, " + _SCANNED + ", include_initial=False"),
    **dict.fromkeys(("sort", "argsort"), _SORTED),
    "nonzero": "",
    "take": "indices, axis=None, out=None, mode='raise'",
    "repeat": "repeats, axis=None",
    "reshape": "shape, order='C', *, copy=None",
    "ravel": "order='C'",
    "transpose": "axes=None",
    "permute_dims": "axes",
    "swapaxes": "axis1, axis2",
    "squeeze": "axis=None",
    "diagonal": "offset=0, axis1=0, axis2=1",
    "copy": "order='C'",
    "astype": "dtype, order='K', casting='unsafe', subok=True, copy=True, *, device=None",
}


def of(function):
    """The inspect.Signature of such a function."""
    parameters = _PARAMETERS[function.__name__]
    return inspect.signature(eval(f"lambda a, /, {parameters}: None"))
