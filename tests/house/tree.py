"""What the checks of the house share: where things are, and the files of the tree."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
LIBRARY = ROOT / "build" / "src" / "libbrio.so"
PUBLIC_HEADERS = sorted((INCLUDE / "brio").glob("*.h"))


def files(*suffixes: str, folder: str = ".") -> list[Path]:
    """The files of the tree that are under version control, or would be, by suffix."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout
    names = sorted({os.fsdecode(name) for name in listed.split(b"\0") if name})
    return [ROOT / name for name in names if name.endswith(suffixes or "") and (ROOT / name).is_file()]


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))
