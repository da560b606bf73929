"""How arrays are printed: by NumPy where it is installed, else plainly."""

from brio import _core


def _numpy():
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _nested(values):
    if isinstance(values, list):
        return "[" + ", ".join(_nested(v) for v in values) + "]"
    return str(values)


def _brief(array, edge=3):
    """The elements as nested lists, with the middle of long axes left out."""
    if array.ndim == 0:
        return str(array.item())
    n = array.shape[0]
    if array.size <= 1000 or n <= 2 * edge:
        parts = [_brief(array[i]) for i in range(n)]
    else:
        parts = [_brief(array[i]) for i in range(edge)] + ["..."]
        parts += [_brief(array[i]) for i in range(n - edge, n)]
    return "[" + ", ".join(parts) + "]"


def array_repr(array, max_line_width=None, precision=None, suppress_small=None):
    numpy = _numpy()
    if numpy is None:
        return f"array({_brief(array)}, dtype={array.dtype})"
    return numpy.array_repr(numpy.asarray(memoryview(array)), max_line_width, precision, suppress_small)


def array_str(array, max_line_width=None, precision=None, suppress_small=None):
    numpy = _numpy()
    if numpy is None:
        return _brief(array)
    return numpy.array_str(numpy.asarray(memoryview(array)), max_line_width, precision, suppress_small)


def array2string(array, *args, **kwargs):
    numpy = _numpy()
    if numpy is None:
        return _brief(array)
    return numpy.array2string(numpy.asarray(memoryview(_core.asarray(array))), *args, **kwargs)


def array_format(array, spec):
    """format(array, spec): the number's own for arrays without dimensions, else str."""
    if array.ndim == 0:
        return format(array.item(), spec)
    if spec:
        raise TypeError("unsupported format string passed to brio.ndarray.__format__")
    return array_str(array)
