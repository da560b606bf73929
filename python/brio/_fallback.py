"""NumPy on the host for the names that Brio does not have."""

import functools
import types

from brio import _interop, config

_SUBMODULES = ("fft", "lib", "linalg", "polynomial", "random")
_NOT_TAKEN = frozenset(
    "ndarray matrix ma char rec strings core testing distutils f2py ctypeslib typing".split()
)


class _Module(types.ModuleType):
    """A submodule of NumPy whose functions take and give Brio's arrays."""

    def __init__(self, name, inner):
        super().__init__(name, inner.__doc__)
        self.__dict__["_inner"] = inner

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _wrapped(getattr(self._inner, name), f"{self.__name__}.{name}")

    def __dir__(self):
        return dir(self._inner)


def _wrapped(value, name):
    if isinstance(value, types.ModuleType):
        return _Module(name, value)
    if isinstance(value, type) or not callable(value):
        return value

    @functools.wraps(value, assigned=("__name__", "__doc__"), updated=())
    def call(*args, **kwargs):
        return _interop.call_numpy(value, args, kwargs)

    call.__qualname__ = call.__name__ = name.rpartition(".")[2]
    call.__module__ = "brio"
    return call


def find(name):
    """What `brio.<name>` is when Brio does not have it. AttributeError that says why there is nothing."""
    try:
        import numpy
    except ImportError:
        raise AttributeError(f"module 'brio' has no attribute {name!r}, and NumPy is not installed") from None
    if name in _NOT_TAKEN or not hasattr(numpy, name):
        raise AttributeError(f"module 'brio' has no attribute {name!r}")
    if not config.fallback():
        raise AttributeError(
            f"module 'brio' has no attribute {name!r} of its own, and BRIO_FALLBACK=0 forbids NumPy's"
        )
    value = getattr(numpy, name)
    if (
        isinstance(value, types.ModuleType)
        and name not in _SUBMODULES
        and name not in ("emath", "exceptions")
    ):
        raise AttributeError(f"module 'brio' has no attribute {name!r}")
    return _wrapped(value, f"brio.{name}")


def coverage():
    import numpy

    import brio

    own = set(dir(brio)) - {"config", "memory"}
    names = [n for n in dir(numpy) if not n.startswith("_")]
    return {
        n: "brio" if n in own else "numpy" for n in names if n in own or callable(getattr(numpy, n, None))
    }
