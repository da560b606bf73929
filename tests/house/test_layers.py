"""Includes go downwards: runtime < op < backend < a domain < the faces."""

import re

import pytest
from tree import files, relative

DOMAINS = set("array frame learn graph sparse image search geo io kernel spatial dash".split())
BELOW = {
    "runtime": {"runtime"},
    "op": {"op", "runtime"},
    "backend": {"backend", "op", "runtime"},
    **{domain: {domain, "backend", "op", "runtime"} for domain in DOMAINS},
    "cli": {"cli"},
}
INCLUDED = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)
VENDOR = re.compile(r"^(cu[a-zA-Z_]+\.h|cuda/|cub/|thrust/|nv[a-zA-Z_]+\.h)")


def wrong_includes(name: str, text: str) -> list[str]:
    """The includes of a file of src/ or python/, named from the root, that its place does not allow."""
    parts = name.split("/")
    layer = parts[1] if parts[0] == "src" else parts[0]
    allowed = BELOW.get(layer, set())
    wrong = []
    for mark, target in INCLUDED.findall(text):
        folder = target.split("/")[0]
        if VENDOR.match(target) and not name.startswith("src/backend/cuda/"):
            wrong.append(f"{name}: {target}: only src/backend/cuda includes a vendor's header")
        elif mark == "<" or folder == "brio":
            domain = target.removeprefix("brio/").removesuffix(".h")
            if folder == "brio" and domain in DOMAINS and layer in ("runtime", "op", "backend"):
                wrong.append(f"{name}: {target}: {layer} stands below the domains")
        elif ".." in target:
            wrong.append(f"{name}: {target}: name it from src/")
        elif "/" in target and folder in BELOW and folder not in allowed:
            wrong.append(f"{name}: {target}: {layer} does not stand above {folder}")
    return wrong


def sources():
    return [
        path for path in files(".c", ".h", ".def", ".inc") if relative(path).startswith(("src/", "python/"))
    ]


def test_every_folder_of_the_library_has_its_place():
    folders = {relative(path).split("/")[1] for path in sources() if relative(path).startswith("src/")}
    assert folders <= set(BELOW)


def test_includes_go_downwards():
    assert [text for path in sources() for text in wrong_includes(relative(path), path.read_text())] == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("src/runtime/buffer.c", '#include "op/program.h"'),
        ("src/op/table.c", '#include "backend/backend.h"'),
        ("src/backend/cpu/loops.c", '#include "array/array.h"'),
        ("src/array/map.c", '#include "frame/column.h"'),
        ("src/array/map.c", "#include <cuda_runtime.h>"),
        ("src/backend/cpu/sort.c", "#include <cub/cub.cuh>"),
        ("src/op/table.c", '#include "../array/array.h"'),
        ("python/brio/accel/fuse.c", '#include "op/program.h"'),
        ("src/cli/main.c", '#include "runtime/config.h"'),
        ("src/op/program.h", "#include <brio/array.h>"),
    ],
)
def test_a_wrong_include_is_seen(name, line):
    assert len(wrong_includes(name, line + "\n")) == 1


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("src/array/map.c", '#include "op/program.h"'),
        ("src/array/map.c", "#include <brio/array.h>"),
        ("src/backend/cpu/loops.c", '#include "tile.h"'),
        ("src/backend/cpu/loops.c", "#include <brio/parallel.h>"),
        ("src/backend/cuda/sort.c", "#include <cub/cub.cuh>"),
        ("python/brio/accel/fuse.c", '#include "fuse.h"'),
    ],
)
def test_a_right_include_passes(name, line):
    assert wrong_includes(name, line + "\n") == []
