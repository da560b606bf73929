"""`make install`: a C program of a user finds what was installed, and it works; a wheel brings all of it."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tree import PUBLIC_HEADERS, ROOT


def run(*command, **environment) -> str:
    """What the command prints; its errors go into the assertion."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("prefix")
    run("make", "install", f"PREFIX={folder}")
    return folder


def test_installs_library_headers_and_command(prefix):
    installed = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
    expected = {f"include/brio/{header.name}" for header in PUBLIC_HEADERS}
    expected |= {"lib/libbrio.so", "lib/pkgconfig/brio.pc", "bin/brio"}
    assert expected <= installed
    assert not any("python" in name for name in installed)


@pytest.mark.parametrize("language", [["cc", "-std=c17"], ["c++", "-std=c++20", "-xc++"]], ids=["c", "c++"])
def test_a_program_finds_and_runs_it(prefix, tmp_path, language):
    flags = run(
        "pkg-config", "--cflags", "--libs", "brio", PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig")
    ).split()
    source, program = ROOT / "tests" / "house" / "user.c", tmp_path / "user"
    run(
        *language,
        "-Wall",
        "-Wextra",
        "-Werror",
        source,
        *flags,
        "-lm",
        f"-Wl,-rpath,{prefix}/lib",
        "-o",
        program,
    )
    assert run(program).strip() == run("pkg-config", "--modversion", prefix / "lib/pkgconfig/brio.pc").strip()


@pytest.mark.slow
def test_a_wheel_works_alone(tmp_path):
    """In an environment of its own, with NumPy from this one."""
    run(sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "-w", tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "brio.pth" in names
    assert any(name.endswith("/scripts/brio") for name in names)
    assert wheel.stat().st_size < 15 << 20
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", wheel)
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip()
    for name in ("numpy", "numpy.libs"):
        here = Path(pytest.importorskip("numpy").__file__).parents[1] / name
        if here.exists():
            shutil.copytree(here, Path(site) / name)
    script = tmp_path / "script.py"
    script.write_text("import numpy as np\nx = np.arange(1e6)\nprint(float(np.sqrt(x * x).sum()))\n")
    code = "import brio as xp; print(float(xp.sqrt(xp.full(100000, 4.0)).sum()))"
    assert run(python, "-c", code) == "200000.0\n"
    assert run(tmp_path / "env" / "bin" / "brio", "run", script) == run(python, script)
