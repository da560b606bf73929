"""What happens when floating-point work divides by zero, overflows, underflows or is invalid: by
default nothing. Under any other setting expressions are evaluated at the call, so that the warning
comes from the line that caused it."""

import contextlib
import warnings

from brio import _core

_KINDS = {"divide": 1, "over": 2, "under": 4, "invalid": 8}
_WORDS = {"divide": "divide by zero", "over": "overflow", "under": "underflow", "invalid": "invalid value"}
_MODES = ("ignore", "warn", "raise", "call", "print", "log")
_state = dict.fromkeys(_KINDS, "ignore")
_call = None


def _apply():
    _core.set_strict_fp(any(mode != "ignore" for mode in _state.values()))


def geterr():
    """The present settings."""
    return dict(_state)


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Sets what happens; returns the settings before."""
    before = dict(_state)
    for kind, mode in zip(_KINDS, (divide, over, under, invalid)):
        mode = mode or all
        if mode is None:
            continue
        if mode not in _MODES:
            raise ValueError(f"invalid error mode {mode!r}; it is one of {', '.join(_MODES)}")
        _state[kind] = mode
    _apply()
    return before


def geterrcall():
    """What mode "call" calls."""
    return _call


def seterrcall(func):
    """Sets what mode "call" calls with (words, flags); returns what it was."""
    global _call
    before, _call = _call, func
    return before


class errstate(contextlib.ContextDecorator):
    """Settings of floating-point errors within a with statement or a decorated function."""

    def __init__(self, *, call=None, **kwargs):
        self._kwargs, self._func = kwargs, call

    def __enter__(self):
        self._before, self._call_before = seterr(**self._kwargs), geterrcall()
        if self._func is not None:
            seterrcall(self._func)

    def __exit__(self, *exc):
        seterr(**self._before)
        seterrcall(self._call_before)


def raised(name, flags):
    """Called by the extension with the conditions that an operation raised."""
    for kind, bit in _KINDS.items():
        mode = _state[kind]
        if not flags & bit or mode == "ignore":
            continue
        text = f"{_WORDS[kind]} encountered in {name}"
        if mode == "warn":
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        elif mode == "raise":
            raise FloatingPointError(text)
        elif mode == "call" and _call is not None:
            _call(_WORDS[kind], flags)
        elif mode == "print":
            print(f"Warning: {text}")
        elif mode == "log" and _call is not None:
            _call.write(f"Warning: {text}\n")
