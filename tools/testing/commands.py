"""Running a program with its output in a log."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
OLDEST = ROOT / ".venv-oldest"
BUILD = ROOT / "build"
LOGS = BUILD / "test-logs"
MESON = VENV / "bin" / "meson"
NINJA = VENV / "bin" / "ninja"


def log_path(name: str) -> Path:
    """The log of the suite of that name, empty."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{name.replace(' ', '-')}.log"
    log.write_text("")
    return log


def run(command: list, log: Path, environment: dict | None = None, timeout: float = 3600) -> int:
    """Runs `command` in the root of the tree, what it prints added to `log`; its exit status."""
    with open(log, "a") as out:
        print("$", *command, file=out, flush=True)
        try:
            return subprocess.run(
                [str(part) for part in command],
                cwd=ROOT,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=timeout,
            ).returncode
        except subprocess.TimeoutExpired:
            print(f"stopped after {timeout:.0f} s", file=out)
            return 124
