"""The extra builds of the tests: one folder each, made once and kept up to date."""

from pathlib import Path

from .commands import MESON, NINJA, ROOT, run

PROCESSOR = Path("/proc/cpuinfo")


def best_level() -> str:
    """The highest x86-64 level under v4 that this processor runs: sanitizer builds have one level only."""
    words = set(PROCESSOR.read_text().split()) if PROCESSOR.exists() else set()
    return "v3" if {"avx2", "fma", "bmi2", "f16c"} <= words else "v2"


def make_build(folder: str, options: list[str], log: Path, *, install: bool = False) -> Path | None:
    """Configures (once) and compiles the tree into `folder`, and installs it into the prefix among
    `options` where asked; None when that failed, which `log` explains."""
    build = ROOT / folder
    made = (build / "build.ninja").exists()
    if not made and run([MESON, "setup", build, "--libdir=lib", *options], log):
        return None
    if run([NINJA, "-C", build], log):
        return None
    if install and run([MESON, "install", "-C", build, "--no-rebuild", "--only-changed", "--quiet"], log):
        return None
    return build
