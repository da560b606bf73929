"""What reads the interpreter's own headers compiles for every supported CPython at hand, not only for the tested ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRAME = ROOT / "python" / "brio" / "accel" / "frame.c"
ASK = "import sys, sysconfig; print(*sys.version_info[:2], sysconfig.get_path('include'))"


def interpreters():
    """(version, include folder), one interpreter a version."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = {}
    for python in [Path(sys.executable), *sorted(pyenv.glob("versions/3.1[1-9]*/bin/python3"))]:
        answer = subprocess.run([python, "-I", "-c", ASK], capture_output=True, text=True)
        major, minor, include = (answer.stdout.split(maxsplit=2) + ["0", "0", ""])[:3]
        if (int(major), int(minor)) >= (3, 11) and (Path(include.strip()) / "Python.h").exists():
            found.setdefault(f"{major}.{minor}", include.strip())
    return sorted(found.items())


@pytest.mark.parametrize(("version", "include"), interpreters())
def test_frames_are_read_with_the_headers_of(version, include):
    command = ["cc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-D_GNU_SOURCE"]
    done = subprocess.run(
        [*command, "-fsyntax-only", "-isystem", include, str(FRAME)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
