"""Thread settings that make contenders equal, and the description of the machine in a report."""

import os
import platform
import subprocess
import sys

THREAD_VARIABLES = (
    "BRIO_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMEXPR_MAX_THREADS",
    "NUMBA_NUM_THREADS",
)


def set_threads(count):
    """To be called before any contender is imported, since most read their variable once."""
    for name in THREAD_VARIABLES:
        os.environ[name] = str(count)
    os.environ["OMP_WAIT_POLICY"] = "passive"
    os.environ["KMP_BLOCKTIME"] = "0"


def default_threads():
    return len(os.sched_getaffinity(0))


def _first_match(path, prefix):
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith(prefix):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return None


def _git(*arguments):
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _cache_sizes():
    sizes = {}
    base = "/sys/devices/system/cpu/cpu0/cache"
    for index in sorted(os.listdir(base)) if os.path.isdir(base) else []:
        if index.startswith("index"):
            words = []
            for what in ("level", "type", "size"):
                with open(f"{base}/{index}/{what}", encoding="ascii") as file:
                    words.append(file.read().strip())
            sizes[f"L{words[0]} {words[1]}"] = words[2]
    return sizes


def describe(threads, versions, limits):
    flags = (_first_match("/proc/cpuinfo", "flags") or "").split()
    return {
        "commit": _git("rev-parse", "HEAD"),
        "dirty": bool(_git("status", "--porcelain")),
        "cpu": _first_match("/proc/cpuinfo", "model name"),
        "flags": [flag for flag in flags if flag in ("avx2", "fma", "avx512f", "f16c", "bmi2")],
        "caches": _cache_sizes(),
        "cores": os.cpu_count(),
        "threads": threads,
        "load": os.getloadavg(),
        "kernel": platform.release(),
        "python": sys.version.split()[0],
        "versions": versions,
        **limits,
    }
