"""Dtypes as Python sees them: NumPy's own objects where NumPy is installed, else objects of Brio with
the same names. Imported when a dtype is first touched."""

from brio import _core

NAMES = _core.DTYPE_NAMES

try:
    import numpy
except ImportError:
    numpy = None


class dtype:
    """The type of an array's elements, where NumPy is not installed."""

    _known = {}
    __slots__ = ("_code", "itemsize", "kind", "name")

    def __new__(cls, spec):
        if isinstance(spec, dtype):
            return spec
        return DTYPES[code(spec)]

    @classmethod
    def _make(cls, code, name):
        self = object.__new__(cls)
        kind = {"b": "b", "i": "i", "u": "u", "f": "f", "c": "c"}[name[0]]
        bits = name.lstrip("abcdefghijklmnopqrstuvwxyz")
        self._code, self.name, self.kind = code, name, kind
        self.itemsize = int(bits) // 8 if bits else 1
        return self

    @property
    def str(self):
        return f"{'|' if self.itemsize == 1 else '<'}{self.kind}{self.itemsize}"

    @property
    def char(self):
        return "?bhilBHILefdFD"[self._code]

    def __eq__(self, other):
        try:
            return code(other) == self._code
        except TypeError:
            return NotImplemented

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name

    def __reduce__(self):
        return (dtype, (self.name,))


if numpy is not None:
    DTYPES = tuple(numpy.dtype(name) for name in NAMES)
    dtype = numpy.dtype
else:
    DTYPES = tuple(dtype._make(i, name) for i, name in enumerate(NAMES))

_BY_NAME = {name: i for i, name in enumerate(NAMES)}
_BY_TYPE = {bool: 0, int: _BY_NAME["int64"], float: _BY_NAME["float64"], complex: _BY_NAME["complex128"]}


def code(spec):
    """The code of a dtype in any spelling. TypeError when arrays do not hold it."""
    if numpy is not None:
        found = numpy.dtype(spec)
        known = _BY_NAME.get(found.name)
        if known is None:
            raise TypeError(f"brio arrays hold numbers; got dtype '{found}'")
        return known
    if isinstance(spec, dtype):
        return spec._code
    known = _BY_TYPE.get(spec) if isinstance(spec, type) else _BY_NAME.get(spec)
    if known is None:
        for candidate in DTYPES:
            if spec in (candidate.str, candidate.str[1:], candidate.char):
                return candidate._code
        raise TypeError(f"brio arrays hold numbers; got dtype {spec!r}")
    return known


# ---- Promotion -----------------------------------------------------------------------------------

_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def _promote_weak(strong, weak):
    """The code of a strong dtype after meeting a Python number of the kind of `weak` (NEP 50)."""
    have, want = DTYPES[strong].kind, DTYPES[weak].kind
    if _RANK[have] >= _RANK[want]:
        return strong
    if want == "c" and have == "f":
        return _core.dtype_promote(strong, _BY_NAME["complex64"])
    return weak if want != "c" else _BY_NAME["complex128"]


def _code_of(thing):
    """(code, weak) of a dtype, an array or a scalar."""
    if isinstance(thing, _core.ndarray):
        return _core.dtype_code(thing.dtype), False
    if isinstance(thing, (bool, int, float, complex)) and type(thing) in _BY_TYPE:
        return _core.scalar_code(thing)
    if isinstance(thing, (type, str, dtype)):
        return _core.dtype_code(thing), False
    return _core.scalar_code(thing)


def result_type(*arrays_and_dtypes):
    """The dtype that results from promoting arrays, dtypes and scalars together."""
    if not arrays_and_dtypes:
        raise ValueError("at least one array or dtype is required")
    strong = weak = None
    for thing in arrays_and_dtypes:
        found, is_weak = _code_of(thing)
        if is_weak:
            if weak is None or _RANK[DTYPES[found].kind] > _RANK[DTYPES[weak].kind]:
                weak = found
        else:
            strong = found if strong is None else _core.dtype_promote(strong, found)
    if strong is None:
        return DTYPES[weak]
    return DTYPES[strong if weak is None else _promote_weak(strong, weak)]


def promote_types(type1, type2):
    """The smallest dtype to which both cast safely."""
    return DTYPES[_core.dtype_promote(_core.dtype_code(type1), _core.dtype_code(type2))]


def can_cast(from_, to, casting="safe"):
    """Whether values of one dtype may be cast to another under a rule."""
    if isinstance(from_, (bool, int, float, complex)) and type(from_) in _BY_TYPE:
        raise TypeError(
            "can_cast() does not support Python ints, floats, and complex because the result used to "
            "depend on the value."
        )
    source, _ = _code_of(from_)
    return _core.dtype_can_cast(source, _core.dtype_code(to), casting)


def min_scalar_type(a):
    """The smallest dtype that holds a scalar; the dtype of an array that has dimensions."""
    if isinstance(a, _core.ndarray) and a.ndim:
        return a.dtype
    value = a.item() if isinstance(a, _core.ndarray) else a
    return numpy.min_scalar_type(value)


# ---- Kinds and limits ----------------------------------------------------------------------------

_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def isdtype(dtype, kind):
    """Whether a dtype is of a kind of the array API, is another dtype, or is any of a tuple of these."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    found = DTYPES[_core.dtype_code(dtype)]
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"kind argument is a string, but {kind!r} is not a known kind name.")
        return found.kind in _KINDS[kind]
    return found == DTYPES[_core.dtype_code(kind)]


def issubdtype(arg1, arg2):
    """Whether the first dtype lies at or below the second in NumPy's hierarchy."""
    if numpy is None:
        return DTYPES[_core.dtype_code(arg1)] == DTYPES[_core.dtype_code(arg2)]
    return numpy.issubdtype(arg1, arg2)


def _real(dtype):
    """The dtype object of an array, a scalar or a dtype."""
    return DTYPES[_code_of(dtype)[0]]


class _Limits:
    def __repr__(self):
        inner = ", ".join(f"{k}={v!r}" for k, v in vars(self).items())
        return f"{type(self).__name__}({inner})"

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self):
        return hash((type(self), str(self.dtype)))


class finfo(_Limits):
    """The limits of a floating dtype, as Python floats."""

    # bits of the fraction, least and greatest exponent of a normal number
    _FORMATS = {2: (10, -14, 15), 4: (23, -126, 127), 8: (52, -1022, 1023)}

    def __init__(self, dtype):
        found = _real(dtype)
        if found.kind not in "fc":
            raise ValueError(f"data type {dtype!r} not inexact")
        size = found.itemsize // (2 if found.kind == "c" else 1)
        fraction, low, high = self._FORMATS[size]
        self.bits = 8 * size
        self.eps = 2.0**-fraction
        self.epsneg = 2.0 ** -(fraction + 1)
        self.max = (2.0 - 2.0**-fraction) * 2.0**high
        self.min = -self.max
        self.smallest_normal = self.tiny = 2.0**low
        self.smallest_subnormal = 2.0 ** (low - fraction)
        self.precision = {2: 3, 4: 6, 8: 15}[size]
        self.resolution = 10.0**-self.precision
        self.nmant, self.minexp, self.maxexp = fraction, low, high + 1
        self.dtype = DTYPES[_BY_NAME[f"float{8 * size}"]]


class iinfo(_Limits):
    """The limits of an integer dtype."""

    def __init__(self, dtype):
        found = _real(dtype)
        if found.kind not in "iu":
            raise ValueError(f"Invalid integer data type {found.kind!r}.")
        self.bits = 8 * found.itemsize
        self.min = -(1 << (self.bits - 1)) if found.kind == "i" else 0
        self.max = (1 << (self.bits - (found.kind == "i"))) - 1
        self.dtype = found


def scalar_type(name):
    """What `brio.float32` and the like are: NumPy's scalar type, or the dtype where there is no NumPy."""
    if numpy is not None:
        return getattr(numpy, name)
    plain = {"bool_": "bool", "int_": "int64", "intp": "int64", "uint": "uint64", "uintp": "uint64"}
    plain |= {"half": "float16", "single": "float32", "double": "float64", "float_": "float64"}
    return DTYPES[_BY_NAME[plain.get(name, name)]]
