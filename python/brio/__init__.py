"""Brio: NumPy's arrays and functions, faster, on whatever machine it finds.

    import brio as xp
    x = xp.linspace(0, 1, 10_000_000)
    y = (xp.sqrt(x) * xp.sin(x)).sum()

Expressions on large arrays are evaluated late and in one pass; nothing but the clock tells. What Brio
does not do itself is done by NumPy on the host (`brio.coverage()` says which), unless BRIO_FALLBACK=0.
NumPy is not imported before it is needed."""

from brio import _core, _creation, _interop, _manipulation, _statistics
from brio import config as config

__version__ = _core.version()
__array_api_version__ = "2024.12"
_API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")

e = 2.718281828459045
pi = 3.141592653589793
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None

_ALIASES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_not": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate",
    "mod": "remainder",
    "pow": "power",
    "true_divide": "divide",
}

# Names whose modules are imported when they are first asked for.
_LAZY = {
    **dict.fromkeys(
        "can_cast dtype finfo iinfo isdtype issubdtype min_scalar_type promote_types result_type".split(),
        "_dtypes",
    ),
    **dict.fromkeys("errstate geterr geterrcall seterr seterrcall".split(), "_errstate"),
    **dict.fromkeys("array2string array_repr array_str".split(), "_printing"),
    **dict.fromkeys("__array_namespace_info__".split(), "_namespace"),
    **dict.fromkeys("accelerated install original uninstall".split(), "accel"),
}
_MODULES = ("accel", "exceptions", "memory")
_SCALARS = frozenset(
    "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 "
    "intp uintp half single double csingle cdouble byte short intc int_ long longlong "
    "ubyte ushort uintc uint ulong ulonglong".split()
)


# What the extension has besides operations and methods.
_PUBLIC = (
    "ndarray ufunc empty zeros ones full empty_like zeros_like ones_like arange array asarray asanyarray "
    "ascontiguousarray asfortranarray from_dlpack concatenate copyto may_share_memory threads set_threads"
).split()


def _fill():
    """The names that come from the extension and from the modules beside this one."""
    space = globals()
    for module in (_creation, _manipulation, _statistics):
        space.update({name: getattr(module, name) for name in module.__all__})
    space.update({name: getattr(_core, name) for name in _PUBLIC})
    for name, value in vars(_core).items():
        if isinstance(value, _core.function):
            space.setdefault(name, value)
    for name, operation in _core.ufuncs.items():
        space.setdefault(name, operation)
    space.update({name: _core.ufuncs[target] for name, target in _ALIASES.items() if target in _core.ufuncs})
    space.update(concat=_core.concatenate, asnumpy=_interop.asnumpy, around=_statistics.round)


_fill()
_interop.install()
_statistics.install()


def own(name):
    """What Brio itself has under a name of NumPy; None when it has nothing."""
    found = globals().get(name)
    if found is None and (name in _LAZY or name in _MODULES):
        found = __getattr__(name)
    return found if callable(found) or name in _MODULES else None


def coverage():
    """{name: "brio" or "numpy"} for every public name of NumPy: who does the work."""
    from brio import _fallback

    return _fallback.coverage()


def __getattr__(name):
    import importlib

    if name in _MODULES:
        return importlib.import_module("brio." + name)
    if name in _LAZY:
        value = getattr(importlib.import_module("brio." + _LAZY[name]), name)
    elif name in _SCALARS:
        from brio import _dtypes

        value = _dtypes.scalar_type(name)
    elif name == "bool":
        from brio import _dtypes

        value = _dtypes.scalar_type("bool_")
    elif name.startswith("_"):
        raise AttributeError(f"module 'brio' has no attribute {name!r}")
    else:
        from brio import _fallback

        return _fallback.find(name)
    if name != "bool":  # a global of that name would hide the builtin from this module
        globals()[name] = value
    return value


def __dir__():
    here = {n for n in globals() if not n.startswith("_")}
    return sorted(here.union(_LAZY, _MODULES, _SCALARS, ("bool",)))
