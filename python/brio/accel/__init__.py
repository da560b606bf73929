"""Interposition: NumPy's own operations, done faster, for code that nobody edits.

Nothing that a script holds is replaced: the code behind existing operators, ufuncs and methods is,
while attached. `attach` works before or after anybody took names from NumPy.
"""

import contextlib
import os
import sys

__all__ = ["Handle", "accelerated", "attach", "detach", "install", "original", "uninstall"]


class Handle:
    """What `install` returns: whether anything is accelerated, why not, and the way back."""

    def __init__(self, active, reason=None):
        self.active = active
        self.reason = reason

    def uninstall(self):
        uninstall()

    def __repr__(self):
        return f"<brio acceleration: {'on' if self.active else self.reason}>"


def _unsupported():
    """Why this interpreter or NumPy is not accelerated, or None."""
    if sys.implementation.name != "cpython" or sys.version_info < (3, 11):
        return "interpreter: CPython 3.11 or later is needed"
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return "interpreter: the free-threaded build is not accelerated"
    numpy = sys.modules.get("numpy")
    if numpy is not None and int(numpy.__version__.split(".")[0]) < 2:
        return "version: NumPy 2.0 or later is needed"
    return None


def _number(variable, default):
    text = os.environ.get(variable, "")
    try:
        return type(default)(text) if text else default
    except ValueError:
        return default


_BYTES = ("single_bytes", "light_bytes", "chain_bytes", "region_bytes", "reduce_bytes", "select_bytes")


def _configure(interpose):
    """Takes the settings over from the environment; what cannot be parsed is ignored."""
    choices = {}
    if os.environ.get("BRIO_GATE") == "0":
        choices.update(dict.fromkeys(_BYTES, 0), min_count=1, sort_count=1)
    if os.environ.get("BRIO_FUSE") == "0":
        choices["fuse"] = 0
    if os.environ.get("BRIO_RESULTS") == "exact":
        choices["exact"] = 1
    if os.environ.get("BRIO_SCOPE") in ("auto", "user", "all"):
        choices["scope"] = os.environ["BRIO_SCOPE"]
    if os.environ.get("BRIO_EXCLUDE"):
        choices["excludes"] = 1
    if os.environ.get("BRIO_STRICT"):
        choices["strict"] = 1
    if os.environ.get("BRIO_VERIFY"):
        choices["verify"] = _number("BRIO_VERIFY", 1.0)
    interpose.configure(**choices)


_configured = False


def attach(whole_process=False):
    """Interposes NumPy's operations now; NumPy must have been imported.

    whole_process: the process was started for this, so that its memory allocator may be tuned as well.
    """
    global _configured
    reason = _unsupported()
    if reason:
        return Handle(False, reason)
    from . import _interpose

    if not _configured:
        _configured = True
        _configure(_interpose)
        if os.environ.get("BRIO_REPORT") or os.environ.get("BRIO_VERIFY"):
            from . import report

            report.at_exit()
    _interpose.attach(sys.modules["numpy"])
    if whole_process:
        _interpose.keep_memory()
    return Handle(True)


def detach():
    """Puts NumPy's own code back everywhere."""
    module = sys.modules.get(__name__ + "._interpose")
    if module is not None:
        module.detach()


def install(*, results=None, threads=None, scope=None):
    """Accelerates NumPy in this process from now on, or as soon as it is imported.

    results: "exact" for the same bits as NumPy's, "close" (default) where the last digits may differ.
    threads: how many threads one operation may use. scope: "auto", "user" or "all".
    Calling it again changes the settings. Returns a `Handle`.
    """
    if results not in (None, "exact", "close"):
        raise ValueError(f"results must be 'exact' or 'close', not {results!r}")
    if scope not in (None, "auto", "user", "all"):
        raise ValueError(f"scope must be 'auto', 'user' or 'all', not {scope!r}")
    reason = _unsupported()
    if reason:
        return Handle(False, reason)
    if threads is not None:
        from brio import set_threads

        set_threads(threads)
    if results is not None:
        os.environ["BRIO_RESULTS"] = results
    if scope is not None:
        os.environ["BRIO_SCOPE"] = scope
    from .. import _start

    reason = _start.watch()
    if reason:
        return Handle(False, reason)
    if "numpy" in sys.modules:
        from . import _interpose

        choices = {}
        if results is not None:
            choices["exact"] = int(results == "exact")
        if scope is not None:
            choices["scope"] = scope
        _interpose.configure(**choices)
    return Handle(True)


def uninstall():
    """Ends the acceleration: every pointer gets its old value back."""
    from .. import _start

    _start.stop()
    detach()


@contextlib.contextmanager
def accelerated(**settings):
    """`with brio.accelerated():` accelerates the block."""
    module = sys.modules.get(__name__ + "._interpose")
    before = module is not None and module.is_attached()
    handle = install(**settings)
    try:
        yield handle
    finally:
        if not before:
            uninstall()


@contextlib.contextmanager
def original():
    """`with brio.original():` runs the block with NumPy's own code, in this thread."""
    module = sys.modules.get(__name__ + "._interpose")
    if module is None:
        yield
        return
    module.original_enter()
    try:
        yield
    finally:
        module.original_leave()
