"""What the shared library exports, and what it calls."""

import subprocess

import pytest
from test_headers import everything, functions, parse
from tree import LIBRARY

# Library code never ends the process and never prints. A failed assertion would do both: a release
# build has none (NDEBUG), so their helper is absent too. The streams stand for fwrite and fputs,
# into which a compiler may turn a printf.
FORBIDDEN = set(
    "abort exit _exit _Exit quick_exit __assert_fail __assert raise "
    "printf vprintf fprintf vfprintf dprintf vdprintf puts putchar putc perror psignal syslog vsyslog "
    "__printf_chk __vprintf_chk __fprintf_chk __vfprintf_chk __dprintf_chk stdout stderr".split()
)


def symbols(library, option: str) -> set[str]:
    listed = subprocess.run(["nm", "-D", option, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listed.splitlines()}


def exported(library) -> set[str]:
    return symbols(library, "--defined-only")


def imported(library) -> set[str]:
    return symbols(library, "--undefined-only")


def declared() -> set[str]:
    """The functions that the public headers promise."""
    return {cursor.spelling for cursor in functions(parse(everything()))}


@pytest.fixture(scope="module")
def bad_library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    source, library = folder / "bad.c", folder / "libbad.so"
    source.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n"
        'void stray(int x)\n{\n    if (x) {\n        printf("%d", x);\n        abort();\n    }\n}\n'
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def test_exports_only_its_own_names():
    assert {name for name in exported(LIBRARY) if not name.startswith("brio_")} == set()


def test_calls_nothing_that_ends_or_prints():
    assert imported(LIBRARY) & FORBIDDEN == set()


def test_a_bad_library_is_seen(bad_library):
    assert "stray" in exported(bad_library)
    assert {"abort", "printf"} <= imported(bad_library) & FORBIDDEN


def test_every_promise_is_kept():
    assert declared() - exported(LIBRARY) == set()


def test_every_export_is_declared():
    """But for the hooks by which tests make things fail."""
    assert {n for n in exported(LIBRARY) - declared() if not n.startswith("brio_testing_")} == set()
