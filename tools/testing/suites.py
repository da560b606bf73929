"""Every suite of `make test`, in the order in which they run: cheap ones that find most come first."""

import os
import subprocess
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .build import best_level, make_build
from .commands import BUILD, OLDEST, ROOT, VENV, log_path, run
from .ctests import run_ctests
from .outcome import Outcome
from .pytests import run_pytest

PYTHON = VENV / "bin" / "python"
PYTHON_TESTS = ROOT / "tests" / "python"
HOUSE_TESTS = ROOT / "tests" / "house"
# `make test` runs a share of the slow tests, drawn by a seed that it prints; TEST_SEED repeats a run.
SEED = int(os.environ.get("TEST_SEED") or time.time_ns() % 1_000_000)
SHARE = ["--slow=0.1", f"--seed={SEED}"]
# What runs beside the plain build on the newest Python.
SUBSET = ["-m", "not plain_build"]


@dataclass(frozen=True)
class Suite:
    name: str
    run: Callable[[bool], Outcome]
    long_only: bool = False


def failure(text: str, log: Path) -> Outcome:
    return Outcome(failures=[text], log=log)


def run_lint(long: bool) -> Outcome:
    log = log_path("lint")
    if run([PYTHON, "tools/lint.py"], log) == 0:
        return Outcome(passed=1, log=log)
    return failure("lint", log)


def run_house(long: bool) -> Outcome:
    return run_pytest(PYTHON, [HOUSE_TESTS], log_path("house"), arguments=["--slow=1"] if long else SHARE)


def run_c(long: bool) -> Outcome:
    return run_ctests(BUILD, log_path("c"))


def run_python(long: bool) -> Outcome:
    return run_pytest(PYTHON, [PYTHON_TESTS], log_path("python"), arguments=["--slow=1"] if long else SHARE)


def run_oldest(long: bool) -> Outcome:
    """The Python tests on the oldest supported Python at hand, in an environment and a build of its own."""
    log = log_path("oldest")
    status = run([ROOT / "scripts" / "bootstrap", "--oldest"], log)
    if status == 3:
        return Outcome(skips=["all of it: the Python of .venv is the only one at hand"], log=log)
    if status:
        return failure("the environment of the oldest Python could not be made", log)
    interpreter = BUILD / "oldest.ini"
    interpreter.write_text(f"[binaries]\npython = '{OLDEST / 'bin' / 'python'}'\n")
    options = [
        f"--prefix={OLDEST}",
        f"--native-file={interpreter}",
        "-Dtests=false",
        f"-Dcpu_levels={best_level()}",
    ]
    build = make_build("build-oldest", options, log, install=True)
    if build is None:
        return failure("the build for the oldest Python failed", log)
    return run_pytest(
        OLDEST / "bin" / "python", [PYTHON_TESTS], log, arguments=["--slow=1"] if long else SUBSET
    )


def sanitizer_options(kind: str, level: str) -> list[str]:
    return [
        f"-Db_sanitize={kind}",
        "-Db_lundef=false",
        "-Doptimization=1",
        "-Ddebug=true",
        f"-Dcpu_levels={level}",
    ]


def library_of_gcc(name: str) -> str:
    return subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()


def asan_build(level: str, log: Path) -> Path | None:
    folder = "build-asan" if level == best_level() else f"build-asan-{level}"
    options = [f"--prefix={ROOT / folder / 'prefix'}", *sanitizer_options("address,undefined", level)]
    return make_build(folder, options, log, install=True)


def run_asan_c(long: bool) -> Outcome:
    log = log_path("asan c")
    build = asan_build(best_level(), log)
    if build is None:
        return failure("the AddressSanitizer build failed", log)
    return run_ctests(build, log, environment={"ASAN_OPTIONS": "detect_leaks=1:halt_on_error=1"})


def run_asan_python(long: bool) -> Outcome:
    """Part of the Python tests on the sanitized library: Python itself is not sanitized, so the
    runtime is loaded ahead of it, and leaks, which would be Python's own, are not looked for."""
    log = log_path("asan python")
    build = asan_build(best_level(), log)
    if build is None:
        return failure("the AddressSanitizer build failed", log)
    folders = {sysconfig.get_path(name, vars={"base": build / "prefix", "platbase": build / "prefix"})
               for name in ("purelib", "platlib")}  # fmt: skip
    environment = {
        "LD_PRELOAD": library_of_gcc("libasan.so"),
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "PYTHONPATH": ":".join(sorted(folders)),
        "PYTHONMALLOC": "malloc",
        "BRIO_TEST_SANITIZED": "1",
    }
    return run_pytest(PYTHON, [PYTHON_TESTS], log, arguments=SUBSET, environment=environment)


def run_tsan(long: bool) -> Outcome:
    log = log_path("tsan")
    options = ["-Dpython=false", *sanitizer_options("thread", best_level())]
    build = make_build("build-tsan", options, log)
    if build is None:
        return failure("the ThreadSanitizer build failed", log)
    # Its shadow memory does not fit every random layout of the address space.
    fixed_layout = (
        ["setarch", "-R"]
        if subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0
        else []
    )
    return run_ctests(build, log, suite="threaded", wrapper=fixed_layout,
                      environment={"TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1"})  # fmt: skip


def run_other_levels(long: bool) -> Outcome:
    """AddressSanitizer on the C tests at the processor levels that `make test` leaves out."""
    log = log_path("asan levels")
    total = Outcome(log=log)
    words = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    for level in ("v2", "v3", "v4"):
        if level == best_level():
            continue
        if level == "v4" and "avx512vl" not in words:
            total.skips.append("level v4: this processor has no AVX-512")
            continue
        build = asan_build(level, log)
        outcome = (
            run_ctests(build, log) if build else failure(f"the AddressSanitizer build of {level} failed", log)
        )
        total.passed += outcome.passed
        total.failures += outcome.failures
        total.skips += outcome.skips
    return total


ALL = [
    Suite("lint", run_lint),
    Suite("house", run_house),
    Suite("c", run_c),
    Suite("python", run_python),
    Suite("oldest", run_oldest),
    Suite("asan c", run_asan_c),
    Suite("asan python", run_asan_python),
    Suite("tsan", run_tsan),
    Suite("asan levels", run_other_levels, long_only=True),
]
