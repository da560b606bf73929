"""Functions that rearrange, join, split and select, made of the array's own methods."""

import itertools

from brio import _core
from brio._core import arange, asarray, concatenate

_where = _core.ufuncs.get("where")


def normalize_axis(axis, ndim, name=None):
    """An axis counted from 0; AxisError when it is out of bounds."""
    axis = axis.__index__()
    if not -ndim <= axis < ndim:
        from brio.exceptions import AxisError

        raise AxisError(
            f"{name + ': ' if name else ''}axis {axis} is out of bounds for array of dimension {ndim}"
        )
    return axis + ndim if axis < 0 else axis


def _axes(axis, ndim, name=None):
    """A tuple of distinct axes out of an int or a sequence."""
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = tuple(normalize_axis(a, ndim, name) for a in axes)
    if len(set(found)) != len(found):
        raise ValueError(f"repeated axis in `{name}` argument" if name else "repeated axis")
    return found


# ---- Axes ----------------------------------------------------------------------------------------


def moveaxis(a, source, destination):
    """Axes moved to other places, the rest in their order."""
    a = asarray(a)
    source, destination = _axes(source, a.ndim, "source"), _axes(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [n for n in range(a.ndim) if n not in source]
    for to, axis in sorted(zip(destination, source)):
        order.insert(to, axis)
    return a.transpose(tuple(order))


def rollaxis(a, axis, start=0):
    """One axis rolled back to a place."""
    a = asarray(a)
    axis = normalize_axis(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    if not 0 <= start <= a.ndim:
        from brio.exceptions import AxisError

        raise AxisError(f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was passed in")
    if axis < start:
        start -= 1
    order = [n for n in range(a.ndim) if n != axis]
    order.insert(start, axis)
    return a.transpose(tuple(order))


def matrix_transpose(x, /):
    """The last two axes exchanged."""
    return asarray(x).mT


def expand_dims(a, axis):
    """New axes of length one at places of the result."""
    a = asarray(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    ndim = a.ndim + len(axes)
    places = _axes(axes, ndim)
    extents = iter(a.shape)
    return a.reshape(tuple(1 if i in places else next(extents) for i in range(ndim)))


def _at_least(arrays, widen):
    results = tuple(widen(asarray(a)) for a in arrays)
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys):
    """Arrays with at least one dimension."""
    return _at_least(arys, lambda a: a.reshape(1) if a.ndim == 0 else a)


def atleast_2d(*arys):
    """Arrays with at least two dimensions."""
    return _at_least(arys, lambda a: a.reshape((1,) * (2 - a.ndim) + a.shape) if a.ndim < 2 else a)


def _three(a):
    shapes = {0: (1, 1, 1), 1: (1, *a.shape, 1), 2: (*a.shape, 1)}
    return a.reshape(shapes[a.ndim]) if a.ndim < 3 else a


def atleast_3d(*arys):
    """Arrays with at least three dimensions."""
    return _at_least(arys, _three)


# ---- Broadcasting --------------------------------------------------------------------------------


def broadcast_to(array, shape, subok=False):
    """A read-only view broadcast to a shape."""
    return asarray(array)._broadcast_to(shape)


def broadcast_shapes(*args):
    """The shape to which shapes broadcast."""
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in args]
    result = []
    for i in range(-max((len(s) for s in shapes), default=0), 0):
        extent = 1
        for shape in shapes:
            have = shape[i] if -i <= len(shape) else 1
            if have != 1 and extent not in (1, have):
                words = ", ".join(f"arg {n} with shape {s}" for n, s in enumerate(shapes))
                raise ValueError(
                    "shape mismatch: objects cannot be broadcast to a single shape.  "
                    f"Mismatch is between {words}."
                )
            extent = have if have != 1 else extent
        result.append(extent)
    return tuple(result)


def broadcast_arrays(*args, subok=False):
    """Read-only views of arrays, broadcast together, as a tuple."""
    arrays = [asarray(a) for a in args]
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else a._broadcast_to(shape) for a in arrays)


# ---- Joining and splitting -----------------------------------------------------------------------


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape joined along a new axis."""
    arrays = [asarray(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if len({a.shape for a in arrays}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis(axis, arrays[0].ndim + 1)
    return concatenate([expand_dims(a, axis) for a in arrays], axis, out, dtype=dtype, casting=casting)


def unstack(x, /, *, axis=0):
    """The parts of an array along an axis, as a tuple of views."""
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    x = moveaxis(x, axis, 0)
    return tuple(x[i] for i in range(x.shape[0]))


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined as rows."""
    return concatenate([atleast_2d(a) for a in tup], 0, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays joined along the second axis; along the first when they have one."""
    arrays = [atleast_1d(a) for a in tup]
    return concatenate(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup):
    """Arrays joined along the third axis."""
    return concatenate([atleast_3d(a) for a in tup], 2)


def column_stack(tup):
    """1-D arrays as columns of a matrix."""
    arrays = [asarray(a) for a in tup]
    return concatenate([a.reshape(-1, 1) if a.ndim < 2 else a for a in arrays], 1)


def array_split(ary, indices_or_sections, axis=0):
    """An array cut into nearly equal parts, or at places."""
    ary = asarray(ary)
    axis = normalize_axis(axis, ary.ndim)
    n = ary.shape[axis]
    if isinstance(indices_or_sections, int):
        sections = indices_or_sections
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, extra = divmod(n, sections)
        edges = [0]
        for i in range(sections):
            edges.append(edges[-1] + each + (i < extra))
    else:
        edges = [0, *(int(i) for i in indices_or_sections), n]
    before = (slice(None),) * axis
    return [ary[(*before, slice(a, b))] for a, b in itertools.pairwise(edges)]


def split(ary, indices_or_sections, axis=0):
    """An array cut into equal parts, or at places."""
    ary = asarray(ary)
    if isinstance(indices_or_sections, int):
        axis = normalize_axis(axis, ary.ndim)
        if indices_or_sections <= 0 or ary.shape[axis] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    """split along the first axis."""
    if asarray(ary).ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    """split along the second axis; along the first of a 1-D array."""
    ndim = asarray(ary).ndim
    if ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ndim > 1 else 0)


def dsplit(ary, indices_or_sections):
    """split along the third axis."""
    if asarray(ary).ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def append(arr, values, axis=None):
    """Values joined at the end."""
    arr, values = asarray(arr), asarray(values)
    if axis is None:
        return concatenate([arr.ravel(), values.ravel()], 0)
    return concatenate([arr, values], axis)


def tile(A, reps):
    """An array repeated along axes."""
    A = asarray(A)
    reps = tuple(reps) if isinstance(reps, (tuple, list)) else (int(reps),)
    if any(r < 0 for r in reps):
        raise ValueError("negative dimensions are not allowed")
    ndim = max(A.ndim, len(reps))
    shape = (1,) * (ndim - A.ndim) + A.shape
    reps = (1,) * (ndim - len(reps)) + reps
    inner = tuple(x for extent in shape for x in (1, extent))
    outer = tuple(x for pair in zip(reps, shape) for x in pair)
    final = tuple(r * s for r, s in zip(reps, shape))
    return A.reshape(inner)._broadcast_to(outer).reshape(final, copy=True)


# ---- Turning -------------------------------------------------------------------------------------


def flip(m, axis=None):
    """A view with the order of elements reversed along axes."""
    m = asarray(m)
    axes = range(m.ndim) if axis is None else _axes(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(m.ndim))]


def fliplr(m):
    """flip along the second axis."""
    if asarray(m).ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return flip(m, 1)


def flipud(m):
    """flip along the first axis."""
    if asarray(m).ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return flip(m, 0)


def roll(a, shift, axis=None):
    """Elements moved around along axes; those that leave come in at the other end."""
    a = asarray(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
    if len(axes) != len(shifts):
        if 1 not in (len(axes), len(shifts)):
            raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
        n = max(len(axes), len(shifts))
        axes, shifts = tuple(axes) * (n // len(axes)), tuple(shifts) * (n // len(shifts))
    result = a
    for one, by in zip(axes, shifts):
        one = normalize_axis(one, a.ndim)
        n = a.shape[one]
        by = by.__index__() % n if n else 0
        if by:
            before = (slice(None),) * one
            parts = [result[(*before, slice(n - by, None))], result[(*before, slice(None, n - by))]]
            result = concatenate(parts, one)
    return result.copy() if result is a else result


def rot90(m, k=1, axes=(0, 1)):
    """A view turned by quarter turns in the plane of two axes."""
    m = asarray(m)
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = normalize_axis(axes[0], m.ndim), normalize_axis(axes[1], m.ndim)
    if first == second:
        raise ValueError("Axes must be different.")
    k %= 4
    if k == 0:
        return m[:]
    if k == 2:
        return flip(flip(m, first), second)
    if k == 1:
        return flip(m, second).swapaxes(first, second)
    return flip(m.swapaxes(first, second), second)


# ---- Selecting -----------------------------------------------------------------------------------


def where(condition, x=None, y=None, /):
    """Elements of x where the condition is true, else of y; without these, nonzero."""
    condition = asarray(condition)
    if x is None and y is None:
        return condition.nonzero()
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return _where(condition, x, y)


def flatnonzero(a):
    """The indices of non-zero elements of the raveled array."""
    return asarray(a).ravel().nonzero()[0]


def argwhere(a):
    """The indices of non-zero elements, a row each."""
    a = asarray(a)
    if a.ndim == 0:
        return argwhere(a.reshape(1))[:, :0]
    return stack(a.nonzero(), 1)


def _take(a, indices, axis, out, mode):
    """take with out= or a mode other than "raise"."""
    if axis is None:
        a, axis = a.ravel(), 0
    n = a.shape[normalize_axis(axis, a.ndim)]
    indices = asarray(indices)
    if mode == "wrap":
        indices = indices % n
    elif mode == "clip":
        indices = clip(indices, 0, n - 1)
    elif mode not in (None, "raise"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    result = a.take(indices, axis)
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(
            f"output array does not match result of ndarray.take, which has shape {result.shape}"
        )
    _core.copyto(out, result, casting="unsafe")
    return out


def _along(arr, indices, axis):
    """The index tuple that pairs each index along an axis with its own place on the other axes."""
    if indices.ndim != arr.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    axis = normalize_axis(axis, arr.ndim)
    index = []
    for i in range(arr.ndim):
        shape = (1,) * i + (-1,) + (1,) * (arr.ndim - i - 1)
        index.append(indices if i == axis else arange(arr.shape[i]).reshape(shape))
    return tuple(index)


def take_along_axis(arr, indices, axis=-1):
    """Elements at indices along an axis, matched place by place."""
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        arr, axis = arr.ravel(), 0
    return arr[_along(arr, indices, axis)]


def put_along_axis(arr, indices, values, axis):
    """Sets elements at indices along an axis, matched place by place."""
    indices = asarray(indices)
    if axis is None:
        flat = arr.ravel()
        flat[indices] = values
        if flat.base is None:
            arr[...] = flat.reshape(arr.shape)
        return
    arr[_along(arr, indices, axis)] = values


def compress(condition, a, axis=None, out=None):
    """The slices along an axis where a 1-D condition is true."""
    a, condition = asarray(a), asarray(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    result = a.take(condition.nonzero()[0], axis)
    if out is None:
        return result
    _core.copyto(out, result, casting="unsafe")
    return out


def extract(condition, arr):
    """The elements where the condition is true."""
    return asarray(arr).ravel()[flatnonzero(condition)]


def put(a, ind, v, mode="raise"):
    """Sets elements of the raveled array, in place; values are repeated as needed."""
    ind, v = asarray(ind).ravel(), asarray(v).ravel()
    if mode == "wrap":
        ind = ind % a.size
    elif mode == "clip":
        ind = clip(ind, 0, a.size - 1)
    if ind.size == 0 or v.size == 0:
        return
    if v.size < ind.size:
        v = tile(v, -(-ind.size // v.size))
    flat = a.ravel()
    flat[ind] = v[: ind.size]
    if flat.base is None:
        a[...] = flat.reshape(a.shape)


def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None, **kwargs):
    """The elements, none below a_min nor above a_max."""
    low = a_min if min is None else min
    high = a_max if max is None else max
    if out is not None:
        kwargs["out"] = out
    if low is None and high is None:
        return _core.ufuncs["positive"](a, **kwargs)
    if low is None:
        return _core.ufuncs["minimum"](a, high, **kwargs)
    if high is None:
        return _core.ufuncs["maximum"](a, low, **kwargs)
    return _core.ufuncs["clip"](a, low, high, **kwargs)


def trim_zeros(filt, trim="fb"):
    """A 1-D array without leading and trailing zeros."""
    filt = asarray(filt)
    where = flatnonzero(filt)
    if where.size == 0:
        return filt[:0]
    first = int(where[0]) if "f" in trim.lower() else 0
    last = int(where[-1]) + 1 if "b" in trim.lower() else filt.size
    return filt[first:last]


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view with any shape and strides, unchecked."""
    x = asarray(x)
    view = x._as_strided(x.shape if shape is None else shape, x.strides if strides is None else strides)
    if not writeable:
        view.flags.writeable = False
    return view


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view of every window of a shape."""
    x = asarray(x)
    window = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
    if any(w < 0 for w in window):
        raise ValueError("`window_shape` cannot contain negative values")
    axes = (
        tuple(range(x.ndim))
        if axis is None
        else tuple(normalize_axis(a, x.ndim) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    )
    if len(axes) != len(window):
        raise ValueError(
            f"Must provide matching length window_shape and axis; got {len(window)} and {len(axes)}"
        )
    shape = list(x.shape)
    for a, w in zip(axes, window):
        if shape[a] < w:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[a] -= w - 1
    strides = x.strides + tuple(x.strides[a] for a in axes)
    return as_strided(x, (*shape, *window), strides, writeable=writeable)


__all__ = [
    "append",
    "argwhere",
    "array_split",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "clip",
    "column_stack",
    "compress",
    "dsplit",
    "dstack",
    "expand_dims",
    "extract",
    "flatnonzero",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "matrix_transpose",
    "moveaxis",
    "put",
    "put_along_axis",
    "roll",
    "rollaxis",
    "rot90",
    "split",
    "stack",
    "take_along_axis",
    "tile",
    "trim_zeros",
    "unstack",
    "vsplit",
    "vstack",
    "where",
]
