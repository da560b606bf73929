"""Functions of values that are made of operations, reductions and sorts: differences, products,
comparisons of whole arrays, order statistics, sets."""

from brio import _core
from brio._core import asarray, concatenate
from brio._manipulation import clip, flatnonzero, moveaxis, normalize_axis

_ufuncs = _core.ufuncs


def _into(out, result):
    if out is None:
        return result
    _core.copyto(out, result, casting="same_kind")
    return out


# ---- Rounding and shape of values ----------------------------------------------------------------


def round(a, decimals=0, out=None):
    """The nearest number with so many decimals, of two the even one."""
    a = asarray(a)
    kind = a.dtype.kind
    decimals = decimals.__index__()
    if kind == "b":
        return _into(out, a.astype("float16")) if decimals == 0 else round(a.astype("float16"), decimals, out)
    if kind in "iu" and decimals >= 0:
        return _into(out, a.copy())
    if decimals == 0:
        return _ufuncs["rint"](a, out=out)
    factor = 10.0 ** abs(decimals)
    if kind in "iu":
        result = (_ufuncs["rint"](a / factor) * factor).astype(a.dtype)
    elif decimals > 0:
        result = _ufuncs["rint"](a * factor) / factor
    else:
        result = _ufuncs["rint"](a / factor) * factor
    return _into(out, result)


def ptp(a, axis=None, out=None, keepdims=False):
    """The largest element less the smallest."""
    a = asarray(a)
    return _into(out, a.max(axis, keepdims=keepdims) - a.min(axis, keepdims=keepdims))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of a diagonal."""
    return asarray(a).diagonal(offset, axis1, axis2).sum(-1, dtype, out)


def real(val):
    """The real part."""
    return asarray(val).real


def imag(val):
    """The imaginary part."""
    return asarray(val).imag


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """NaN and infinities replaced by numbers."""
    x = asarray(x)
    if x.dtype.kind != "f":
        return x.copy() if copy else x
    from brio._dtypes import finfo

    limits = finfo(x.dtype)
    result = x.copy() if copy else x
    result[_ufuncs["isnan"](x)] = nan
    result[x == float("inf")] = limits.max if posinf is None else posinf
    result[x == float("-inf")] = limits.min if neginf is None else neginf
    return result


def sinc(x):
    """sin(pi x) / (pi x), 1 at 0."""
    import math

    x = asarray(x)
    y = math.pi * _ufuncs["where"](x == 0, 1.0e-20, x)
    return _ufuncs["sin"](y) / y


# ---- Differences ---------------------------------------------------------------------------------


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The differences of neighbours along an axis, n times."""
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis(axis, a.ndim)
    ends = []
    for end in (prepend, append):
        if end is None:
            ends.append([])
            continue
        end = asarray(end)
        if end.ndim == 0:
            end = end._broadcast_to(a.shape[:axis] + (1,) + a.shape[axis + 1 :])
        ends.append([end])
    if prepend is not None or append is not None:
        a = concatenate([*ends[0], a, *ends[1]], axis)
    before = (slice(None),) * axis
    minus = _ufuncs["not_equal" if a.dtype.kind == "b" else "subtract"]
    for _ in range(n):
        a = minus(a[(*before, slice(1, None))], a[(*before, slice(None, -1))])
    return a


def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours of the raveled array."""
    flat = asarray(ary).ravel()
    parts = [] if to_begin is None else [asarray(to_begin).ravel()]
    parts.append(flat[1:] - flat[:-1])
    parts += [] if to_end is None else [asarray(to_end).ravel()]
    return concatenate(parts) if len(parts) > 1 else parts[0]


# ---- Products ------------------------------------------------------------------------------------


def dot(a, b, out=None):
    """The product of NumPy's dot: scalars multiply, the last axis of a meets the last but one of b."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return _into(out, a * b)
    if b.ndim <= 2:
        return _into(out, a @ b)
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"shapes {a.shape} and {b.shape} not aligned: "
            f"{a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[-2]} (dim {b.ndim - 2})"
        )
    right = moveaxis(b, -2, 0)
    rest = right.shape[1:]
    return _into(out, (a @ right.reshape(right.shape[0], -1)).reshape(a.shape[:-1] + rest))


def matmul(x1, x2, /, out=None, **kwargs):
    """The matrix product; stacks of matrices broadcast."""
    if kwargs:
        raise TypeError(f"matmul() got an unexpected keyword argument '{next(iter(kwargs))}'")
    return _into(out, asarray(x1) @ asarray(x2))


def vdot(a, b):
    """The sum of products of all elements."""
    return asarray(a).ravel() @ asarray(b).ravel()


def vecdot(x1, x2, /, *, axis=-1):
    """The sum of products along an axis."""
    x1, x2 = asarray(x1), asarray(x2)
    x1, x2 = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    if x1.shape[-1] != x2.shape[-1]:
        raise ValueError("vecdot: Input operand 1 has a mismatch in its core dimension 0")
    return (x1.reshape(*x1.shape[:-1], 1, x1.shape[-1]) @ x2.reshape(*x2.shape, 1)).squeeze((-2, -1))


def inner(a, b, /):
    """The sum of products over the last axes."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return tensordot(a, b, axes=(-1, -1))


def outer(a, b, out=None):
    """The product of every element of one array with every one of the other."""
    return _into(out, asarray(a).reshape(-1, 1) * asarray(b).reshape(1, -1))


def tensordot(a, b, axes=2):
    """The sum of products over chosen axes."""
    a, b = asarray(a), asarray(b)
    if isinstance(axes, int):
        left, right = list(range(a.ndim - axes, a.ndim)), list(range(axes))
        if axes < 0 or axes > min(a.ndim, b.ndim):
            raise ValueError("shape-mismatch for sum")
    else:
        left, right = axes
        left = list(left) if isinstance(left, (tuple, list)) else [left]
        right = list(right) if isinstance(right, (tuple, list)) else [right]
    left = [normalize_axis(i, a.ndim) for i in left]
    right = [normalize_axis(i, b.ndim) for i in right]
    if len(left) != len(right) or any(a.shape[i] != b.shape[j] for i, j in zip(left, right)):
        raise ValueError("shape-mismatch for sum")
    free_a = [i for i in range(a.ndim) if i not in left]
    free_b = [i for i in range(b.ndim) if i not in right]
    rows = [a.shape[i] for i in free_a]
    columns = [b.shape[i] for i in free_b]
    n = 1
    for i in left:
        n *= a.shape[i]
    flat_a = a.transpose((*free_a, *left)).reshape(_count(rows), n)
    flat_b = b.transpose((*right, *free_b)).reshape(n, _count(columns))
    return (flat_a @ flat_b).reshape((*rows, *columns))


def _count(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


# ---- Comparing whole arrays ----------------------------------------------------------------------


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether elements are equal within a tolerance."""
    a, b = asarray(a), asarray(b)
    if b.dtype.kind != "f":
        b = b.astype(float)
    near = abs(a - b) <= atol + rtol * abs(b)
    result = (near & _ufuncs["isfinite"](b)) | (a == b)
    if equal_nan:
        result = result | ((a != a) & (b != b))
    return result


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are equal within a tolerance."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have the same shape and elements."""
    a1, a2 = asarray(a1), asarray(a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan:
        same = same | ((a1 != a1) & (a2 != a2))
    return bool(same.all())


def array_equiv(a1, a2):
    """Whether two arrays broadcast together and have the same elements."""
    try:
        return bool((asarray(a1) == asarray(a2)).all())
    except ValueError:
        return False


# ---- Averages and order statistics ---------------------------------------------------------------


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The mean, with weights."""
    a = asarray(a)
    if weights is None:
        result = a.mean(axis, keepdims=keepdims)
        total = a.size / max(result.size, 1)
        return (result, _core.full(result.shape, total, result.dtype)) if returned else result
    weights = asarray(weights)
    if a.shape != weights.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.ndim != 1 or weights.shape[0] != a.shape[axis]:
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        shape = [1] * a.ndim
        shape[axis] = -1
        weights = weights.reshape(tuple(shape))._broadcast_to(a.shape)
    weights = weights * 1.0
    total = weights.sum(axis, keepdims=keepdims)
    if bool((total == 0).any()):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    result = (a * weights).sum(axis, keepdims=keepdims) / total
    return (result, total) if returned else result


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle element of each row of sorted elements; NaN where any is."""
    a = asarray(a)
    ndim = a.ndim
    if axis is None:
        axes = tuple(range(ndim))
    else:
        axes = axis if isinstance(axis, (tuple, list)) else (axis,)
        axes = tuple(normalize_axis(i, ndim) for i in axes)
    rest = [i for i in range(ndim) if i not in axes]
    kept = tuple(a.shape[i] for i in rest)
    n = _count(a.shape[i] for i in axes)
    rows = a.transpose((*rest, *axes)).reshape((*kept, n)) if ndim else a.reshape(1)
    if rows.dtype.kind != "f":
        rows = rows.astype(float)
    if n == 0:
        result = _core.full(kept, float("nan"), rows.dtype)
    else:
        ordered = _core.sort(rows, -1)
        half = n // 2
        middle = ordered[..., half : half + 1] if n % 2 else ordered[..., half - 1 : half + 1]
        result = middle.mean(-1)
        result = _ufuncs["where"](_ufuncs["isnan"](ordered[..., -1]), float("nan"), result).astype(
            rows.dtype, copy=False
        )
    if keepdims:
        result = result.reshape(tuple(1 if i in axes else a.shape[i] for i in range(ndim)))
    return _into(out, result)


# ---- NaN left out --------------------------------------------------------------------------------


def _without_nan(a, value):
    """The array with NaN replaced, and where it was NaN (None when it cannot hold one)."""
    a = asarray(a)
    if a.dtype.kind != "f":
        return a, None
    nan = _ufuncs["isnan"](a)
    return _ufuncs["where"](nan, asarray(value, a.dtype), a), nan


def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    """The sum of elements that are not NaN."""
    return _without_nan(a, 0)[0].sum(axis, dtype, out, keepdims)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False):
    """The product of elements that are not NaN."""
    return _without_nan(a, 1)[0].prod(axis, dtype, out, keepdims)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Running sums with NaN as 0."""
    return _without_nan(a, 0)[0].cumsum(axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Running products with NaN as 1."""
    return _without_nan(a, 1)[0].cumprod(axis, dtype, out)


def nanmax(a, axis=None, out=None, keepdims=False):
    """The largest element that is not NaN; NaN where all are."""
    return _ufuncs["fmax"].reduce(asarray(a), axis, None, out, keepdims)


def nanmin(a, axis=None, out=None, keepdims=False):
    """The smallest element that is not NaN; NaN where all are."""
    return _ufuncs["fmin"].reduce(asarray(a), axis, None, out, keepdims)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    """The mean of elements that are not NaN."""
    a = asarray(a)
    if a.dtype.kind != "f":
        return a.mean(axis, dtype, out, keepdims)
    return a.mean(axis, dtype, out, keepdims, where=~_ufuncs["isnan"](a))


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The variance of elements that are not NaN."""
    a = asarray(a)
    if a.dtype.kind != "f":
        return a.var(axis, dtype, out, ddof, keepdims)
    return a.var(axis, dtype, out, ddof, keepdims, where=~_ufuncs["isnan"](a))


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """The standard deviation of elements that are not NaN."""
    a = asarray(a)
    if a.dtype.kind != "f":
        return a.std(axis, dtype, out, ddof, keepdims)
    return a.std(axis, dtype, out, ddof, keepdims, where=~_ufuncs["isnan"](a))


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A sorted copy, in which every element is where it belongs, the kth among them."""
    return _core.sort(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The stable order, in which every index is where it belongs, the kth among them."""
    return _core.argsort(a, axis)


# ---- Sets ----------------------------------------------------------------------------------------


def _runs(ordered, equal_nan):
    """Where a new value begins in a sorted 1-D array."""
    first = _core.ones(ordered.shape, bool)
    if ordered.size > 1:
        new = ordered[1:] != ordered[:-1]
        if equal_nan and ordered.dtype.kind == "f":
            new = new & ~(_ufuncs["isnan"](ordered[1:]) & _ufuncs["isnan"](ordered[:-1]))
        first[1:] = new
    return first


def unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    """The distinct elements in order; on request where each was first, which each element is, how many."""
    if axis is not None:
        import numpy

        from brio import _interop

        return _interop.call_numpy(
            numpy.unique, (ar, return_index, return_inverse, return_counts, axis), {"equal_nan": equal_nan}
        )
    ar = asarray(ar)
    flat = ar.ravel()
    if not (return_index or return_inverse or return_counts):
        ordered = _core.sort(flat)
        return ordered[_runs(ordered, equal_nan)]
    order = flat.argsort()
    ordered = flat[order]
    first = _runs(ordered, equal_nan)
    results = [ordered[first]]
    if return_index:
        results.append(order[first])
    if return_inverse:
        inverse = _core.empty(flat.shape, int)
        inverse[order] = first.cumsum() - 1
        results.append(inverse.reshape(ar.shape))
    if return_counts:
        starts = flatnonzero(first)
        results.append(diff(starts, append=asarray([flat.size])))
    return tuple(results)


def _result(name, fields):
    from collections import namedtuple

    return namedtuple(name, fields)


def unique_values(x, /):
    """The distinct elements; NaNs are distinct."""
    return unique(x, equal_nan=False)


def unique_counts(x, /):
    """The distinct elements and how many of each there are."""
    return _result("UniqueCountsResult", "values counts")(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x, /):
    """The distinct elements and which of them each element is."""
    return _result("UniqueInverseResult", "values inverse_indices")(
        *unique(x, return_inverse=True, equal_nan=False)
    )


def unique_all(x, /):
    """The distinct elements, where each is first, which each element is, how many there are."""
    return _result("UniqueAllResult", "values indices inverse_indices counts")(
        *unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    )


def isneginf(x, out=None):
    """Whether it is negative infinity."""
    return _into(out, asarray(x) == float("-inf"))


def isposinf(x, out=None):
    """Whether it is positive infinity."""
    return _into(out, asarray(x) == float("inf"))


# ---- As methods of arrays ------------------------------------------------------------------------


def install():
    """Gives the array type the methods that are written here."""
    from brio import _manipulation, _printing

    kind = _core.ndarray
    kind.round = lambda self, decimals=0, out=None: round(self, decimals, out)
    kind.__round__ = lambda self, ndigits=0: round(self, ndigits or 0)
    kind.ptp = lambda self, axis=None, out=None, keepdims=False: ptp(self, axis, out, keepdims)
    kind.trace = lambda self, *args, **kwargs: trace(self, *args, **kwargs)
    kind.dot = lambda self, b, out=None: dot(self, b, out)
    kind.clip = lambda self, min=None, max=None, out=None, **kw: clip(self, min, max, out, **kw)
    kind.conj = kind.conjugate = lambda self: _ufuncs["conjugate"](self)
    kind.compress = lambda self, condition, axis=None, out=None: _manipulation.compress(
        condition, self, axis, out
    )
    kind.put = lambda self, indices, values, mode="raise": _manipulation.put(self, indices, values, mode)
    kind.__format__ = _printing.array_format
    # any order is a partial one
    kind.partition = lambda self, kth, axis=-1, kind=None, order=None: self.sort(axis)
    kind.argpartition = lambda self, kth, axis=-1, kind=None, order=None: self.argsort(axis)
    for name in ("byteswap", "choose", "dump", "dumps", "searchsorted", "tofile"):
        setattr(kind, name, _of_numpy(name))


def _of_numpy(name):
    """A method that NumPy's array of the same elements carries out, on the host."""

    def method(self, *args, **kwargs):
        from brio import _interop

        return _interop.call_numpy(getattr(_interop.to_numpy(self), name), args, kwargs)

    method.__name__ = name
    return method


__all__ = [
    "allclose",
    "argpartition",
    "array_equal",
    "array_equiv",
    "average",
    "diff",
    "dot",
    "ediff1d",
    "imag",
    "inner",
    "isclose",
    "isneginf",
    "isposinf",
    "matmul",
    "median",
    "nan_to_num",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "outer",
    "partition",
    "ptp",
    "real",
    "round",
    "sinc",
    "tensordot",
    "trace",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "vdot",
    "vecdot",
]
