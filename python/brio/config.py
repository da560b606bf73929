"""Settings of the whole process and what can be asked about it.

Each setting has an environment variable that is read once, at first use: BRIO_THREADS, BRIO_LAZY,
BRIO_DEVICE, BRIO_HOST_LIMIT, BRIO_CPU_LEVEL; BRIO_FALLBACK is read by the package itself."""

import os

from brio._core import (
    config_warnings,
    cpu_level,
    default_device,
    lazy,
    set_default_device,
    set_lazy,
    set_memory_limit,
    set_threads,
    threads,
)

__all__ = [
    "config_warnings",
    "cpu_level",
    "default_device",
    "fallback",
    "lazy",
    "set_default_device",
    "set_fallback",
    "set_lazy",
    "set_memory_limit",
    "set_threads",
    "threads",
]

_fallback = os.environ.get("BRIO_FALLBACK", "1").strip().lower() not in ("0", "false", "no", "off")


def fallback():
    """Whether names that Brio does not have are taken from NumPy, on the host."""
    return _fallback


def set_fallback(on):
    """Sets whether names that Brio does not have are taken from NumPy."""
    global _fallback
    _fallback = bool(on)
