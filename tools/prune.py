"""Removes from an install prefix what an earlier build put there and the present one no longer installs.

    prune.py BUILD_FOLDER

Without it a module that was renamed in the sources would live on in .venv and be imported."""

import json
import sys
from pathlib import Path


def main(build: Path) -> None:
    installed = set(json.loads((build / "meson-info" / "intro-installed.json").read_text()).values())
    record = build / "installed-before.json"
    before = set(json.loads(record.read_text())) if record.exists() else set()
    for path in before - installed:
        Path(path).unlink(missing_ok=True)
    if before != installed:
        record.write_text(json.dumps(sorted(installed)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
