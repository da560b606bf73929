"""Creation functions that are made of others."""

from brio import _core
from brio._core import arange, asarray, empty, full, zeros


def _index(value, name):
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """Ones on a diagonal, zeros elsewhere."""
    rows = _index(N, "N")
    columns = rows if M is None else _index(M, "M")
    result = zeros((rows, columns), dtype, order, device=device)
    k = _index(k, "k")
    if -rows < k < columns:
        result.diagonal(k)[...] = 1
    return result


def identity(n, dtype=None, *, like=None):
    """The identity matrix."""
    return eye(n, dtype=float if dtype is None else dtype)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """Ones at and below a diagonal."""
    columns = N if M is None else M
    below = arange(N).reshape(-1, 1) + _index(k, "k") >= arange(columns)
    return below.astype(dtype)


def tril(m, /, k=0):
    """The array with zeros above a diagonal."""
    m = asarray(m)
    rows, columns = m.shape[-2:] if m.ndim > 1 else (m.shape[0], m.shape[0])
    return _core.ufuncs["where"](tri(rows, columns, k, bool), m, zeros(1, m.dtype))


def triu(m, /, k=0):
    """The array with zeros below a diagonal."""
    m = asarray(m)
    rows, columns = m.shape[-2:] if m.ndim > 1 else (m.shape[0], m.shape[0])
    return _core.ufuncs["where"](tri(rows, columns, _index(k, "k") - 1, bool), zeros(1, m.dtype), m)


def diag(v, k=0):
    """The diagonal of a matrix, or a matrix with that diagonal."""
    v = asarray(v)
    if v.ndim == 1:
        n = v.shape[0] + abs(k)
        result = zeros((n, n), v.dtype)
        result.diagonal(k)[...] = v
        return result
    if v.ndim == 2:
        return v.diagonal(k)
    raise ValueError("Input must be 1- or 2-d.")


def diagflat(v, k=0):
    """A matrix with the elements of `v` on a diagonal."""
    return diag(asarray(v).ravel(), k)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """A new array of one value, shaped as another."""
    result = _core.empty_like(a, dtype, order, subok, shape, device=device)
    _core.copyto(result, fill_value, casting="unsafe")
    return result


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` evenly spaced numbers from `start` to `stop`."""
    import brio

    num = _index(num, "num")
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    div = num - 1 if endpoint else num
    start, stop = asarray(start) * 1.0, asarray(stop) * 1.0
    found = brio.result_type(start, stop, float(num))
    integer = False
    if dtype is None:
        dtype = found
    else:
        integer = brio.isdtype(dtype, "integral")
    delta = stop - start
    steps = arange(num, dtype=found).reshape((-1,) + (1,) * delta.ndim)
    if div > 0:
        step = delta / div
        if bool((step == 0).any()):
            values = steps / div * delta
        else:
            values = steps * step
    else:
        step = full(delta.shape, float("nan"), found) if delta.ndim else asarray(float("nan"))
        values = steps * delta
    values = values + start
    if endpoint and num > 1:
        values[-1, ...] = stop
    if axis != 0:
        values = brio.moveaxis(values, 0, axis)
    if integer:
        values = _core.ufuncs["floor"](values)
    values = values.astype(dtype, copy=False)
    return (values, step) if retstep else values


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Numbers evenly spaced on a logarithmic scale: base ** start to base ** stop."""
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    values = _core.ufuncs["power"](base, exponents)
    return values if dtype is None else values.astype(dtype, copy=False)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers whose quotients are equal, from `start` to `stop`."""
    import brio

    ufuncs = _core.ufuncs
    start, stop = asarray(start) * 1.0, asarray(stop) * 1.0
    if bool((start == 0).any()) or bool((stop == 0).any()):
        raise ValueError("Geometric sequence cannot include zero")
    start, stop = brio.broadcast_arrays(start, stop)
    if bool((ufuncs["sign"](start) != ufuncs["sign"](stop)).any()):
        raise ValueError("Geometric sequence of real numbers cannot change its sign")
    sign = ufuncs["sign"](start)
    low, high = abs(start), abs(stop)
    result = logspace(ufuncs["log10"](low), ufuncs["log10"](high), num, endpoint, 10.0)
    if num > 0:
        result[0] = low
        if num > 1 and endpoint:
            result[-1] = high
    result = result * sign
    if axis != 0:
        result = brio.moveaxis(result, 0, axis)
    return result if dtype is None else result.astype(dtype, copy=False)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate arrays of a grid, as a tuple."""
    import brio

    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    n = len(xi)
    grids = []
    for i, x in enumerate(xi):
        x = asarray(x)
        shape = [1] * n
        shape[i] = -1
        grids.append(x.reshape(tuple(shape)))
    if indexing == "xy" and n > 1:
        for i in (0, 1):
            shape = [1] * n
            shape[1 - i] = -1
            grids[i] = grids[i].reshape(tuple(shape))
    if not sparse:
        grids = brio.broadcast_arrays(*grids)
    return tuple(g.copy() for g in grids) if copy else tuple(grids)


def indices(dimensions, dtype=int, sparse=False):
    """The index of each place along each axis."""
    dimensions = tuple(dimensions)
    n = len(dimensions)
    parts = []
    for i, extent in enumerate(dimensions):
        shape = (1,) * i + (extent,) + (1,) * (n - i - 1)
        parts.append(arange(extent, dtype=dtype).reshape(shape))
    if sparse:
        return tuple(parts)
    result = empty((n, *dimensions), dtype)
    for i, part in enumerate(parts):
        result[i] = part
    return result


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """function(i, j, ...) of the indices of every place."""
    return function(*indices(shape, dtype), **kwargs)


def fromiter(iter, dtype, count=-1, *, like=None):
    """A 1-D array of the numbers that an iterable gives."""
    import itertools

    values = list(iter if count < 0 else itertools.islice(iter, count))
    if 0 <= count != len(values):
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(values)} items.")
    return asarray(values, dtype) if values else empty(0, dtype)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """An array over the bytes of a buffer, read-only when that is."""
    import brio

    view = memoryview(buffer)
    if not view.c_contiguous:
        raise ValueError("the buffer is not contiguous")
    view = view.cast("B")
    size = brio.dtype(dtype).itemsize
    if offset < 0 or offset > len(view):
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({len(view)})")
    room = len(view) - offset
    if count < 0:
        if room % size:
            raise ValueError("buffer size must be a multiple of element size")
        count = room // size
    if count * size > room:
        raise ValueError("buffer is smaller than requested size")
    part = _core.array(view[offset : offset + count * size], copy=False)
    return part.view(dtype) if count else empty(0, dtype)


__all__ = [
    "diag",
    "diagflat",
    "eye",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "full_like",
    "geomspace",
    "identity",
    "indices",
    "linspace",
    "logspace",
    "meshgrid",
    "tri",
    "tril",
    "triu",
]
