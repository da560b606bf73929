"""Style and static analysis, one step after another; with --fix, mends what can be mended.

    lint.py [--fix] [STEP...]

Steps: format (clang-format), tidy (clang-tidy, results remembered by content), ruff, clang (the whole
tree compiled by clang with warnings as errors)."""

import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = ROOT / ".venv" / "bin"
CACHE = ROOT / ".cache" / "tidy"
CAPTURED = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
C_FOLDERS = ("include", "src", "python", "tests", "bench")


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], cwd=ROOT, text=True, **options)


def tracked(*suffixes: str, folders: tuple[str, ...] = ()) -> list[str]:
    """Files that git knows or would add, by suffix."""
    names = run(
        "git", "ls-files", "--cached", "--others", "--exclude-standard", *folders, stdout=subprocess.PIPE
    ).stdout
    return sorted(name for name in names.splitlines() if name.endswith(suffixes) and (ROOT / name).exists())


def step_format(fix: bool) -> bool:
    files = tracked(".c", ".h", ".cu", folders=C_FOLDERS)
    return (
        not files
        or run(BIN / "clang-format", *(["-i"] if fix else ["--dry-run", "-Werror"]), *files).returncode == 0
    )


def step_ruff(fix: bool) -> bool:
    files = tracked(".py", ".pyi")
    return (
        not files
        or run(
            BIN / "ruff", "check", "--quiet", "--force-exclude", *(["--fix"] if fix else []), *files
        ).returncode
        == 0
    )


def clang_build() -> Path | None:
    """A build by clang, for its warnings and its compile commands; one processor level is enough."""
    build = ROOT / "build-clang"
    if not (build / "build.ninja").exists():
        options = ["-Dcpu_levels=v3", "-Dbuildtype=debugoptimized", "-Doptimization=1"]
        compilers = {"CC": "ccache clang", "CXX": "ccache clang++"}
        made = run(BIN / "meson", "setup", build, *options, env={**os.environ, **compilers}, **CAPTURED)
        if made.returncode:
            print(made.stdout)
            return None
    done = run(BIN / "ninja", "-C", build, "--quiet", **CAPTURED)
    if done.returncode:
        print(done.stdout)
        return None
    return build


def step_clang(fix: bool) -> bool:
    return fix or clang_build() is not None


def commands_of(build: Path) -> dict[str, dict]:
    """The compile command of each C file of the tree, by name relative to the root."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = (Path(entry["directory"]) / entry["file"]).resolve()
        if path.suffix == ".c" and path.is_relative_to(ROOT) and not path.is_relative_to(build):
            found.setdefault(str(path.relative_to(ROOT)), entry)
    return found


def fingerprint(name: str, entry: dict, settings: bytes) -> str:
    """Changes when the file, any header that it includes, its command or the settings change."""
    command = [part for part in entry["command"].split() if part not in ("ccache", "/usr/bin/ccache")]
    output = command.index("-o")
    del command[output : output + 2]
    command = [part for part in command if part not in ("-MD", "-MQ", "-MF", "-c")]
    preprocessed = subprocess.run([*command, "-E"], cwd=entry["directory"], capture_output=True)
    return hashlib.sha256(settings + entry["command"].encode() + preprocessed.stdout).hexdigest()


def tidy_one(name: str, entry: dict, build: Path, settings: bytes) -> str:
    """What clang-tidy has to say about one file: nothing when all is well."""
    mark = CACHE / fingerprint(name, entry, settings)
    if mark.exists():
        return ""
    done = run("clang-tidy", "--quiet", "-p", build, name, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 0:
        CACHE.mkdir(parents=True, exist_ok=True)
        mark.touch()
        return ""
    return done.stdout + done.stderr


def step_tidy(fix: bool) -> bool:
    if fix:
        return True
    build = clang_build()
    if build is None:
        return False
    settings = (ROOT / ".clang-tidy").read_bytes()
    commands = commands_of(build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        complaints = [
            text for text in pool.map(lambda item: tidy_one(*item, build, settings), commands.items()) if text
        ]
    for text in complaints:
        print(text)
    return not complaints


STEPS = {"format": step_format, "ruff": step_ruff, "clang": step_clang, "tidy": step_tidy}


def main() -> int:
    parser = argparse.ArgumentParser(description="Style and static analysis.")
    parser.add_argument("--fix", action="store_true", help="mend what can be mended")
    parser.add_argument("steps", nargs="*", help=", ".join(STEPS))
    options = parser.parse_args()
    failed = [name for name in options.steps or STEPS if not STEPS[name](options.fix)]
    for name in STEPS:
        if not options.steps or name in options.steps:
            print(f"lint: {name}: {'FAILED' if name in failed else 'ok'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
