"""What an interpreter does at its start when BRIO_ACCELERATE is set: it waits for NumPy.

`brio.pth` imports this module only when the variable is set. Nothing else is imported until a script
imports NumPy; then the operations of NumPy are interposed, once its import is complete.
"""

import os
import sys

_WATCHED = "numpy"

# Whether Brio was asked for by the environment: then the process is ours to tune.
_whole_process = False


class _Loader:
    """Stands in for NumPy's loader during its import, then puts the original back."""

    def __init__(self, loader, spec):
        self._loader = loader
        self._spec = spec

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._spec.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        _attach(_whole_process)


# A failing import of NumPy must look as it does without this module: the import system leaves its own
# frames out of a traceback, and this one counts as such.
_Loader.exec_module.__code__ = _Loader.exec_module.__code__.replace(
    co_filename="<frozen importlib._bootstrap>", co_name="_call_with_frames_removed"
)


class Watch:
    """A finder that finds nothing itself but sees NumPy being found."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != _WATCHED:
            return None
        stop()
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, spec)
                return spec
        watch()
        return None


def watch():
    """Begins to wait for NumPy, or attaches at once where it is already there. Why that failed, or None."""
    if _WATCHED in sys.modules:
        return _attach()
    if Watch not in sys.meta_path:
        sys.meta_path.insert(0, Watch)
    return None


def stop():
    """Ends the waiting."""
    if Watch in sys.meta_path:
        sys.meta_path.remove(Watch)


def _attach(whole_process=False):
    try:
        from brio import accel

        reason = accel.attach(whole_process).reason
    except Exception as problem:
        reason = str(problem) or type(problem).__name__
    if reason and os.environ.get("BRIO_VERBOSE"):
        print(f"brio: not accelerated: {reason}", file=sys.stderr)
    return reason


def main():
    """Called by brio.pth."""
    global _whole_process
    if sys.implementation.name != "cpython" or sys.version_info < (3, 11):
        return
    _whole_process = True
    if os.environ.get("BRIO_NO_CHILDREN"):
        os.environ.pop("BRIO_ACCELERATE", None)
    watch()
