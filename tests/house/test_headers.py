"""Every public header compiles alone, as C17 and as C++17, and says of each function what it does."""

import subprocess

import clang.cindex as clang
import pytest
from tree import INCLUDE, PUBLIC_HEADERS, ROOT

LANGUAGES = {"c": ["cc", "-std=c17", "-xc"], "c++": ["c++", "-std=c++17", "-xc++"]}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror"]


def compile_text(language: str, text: str) -> subprocess.CompletedProcess:
    command = [*LANGUAGES[language], *WARNINGS, f"-I{INCLUDE}", "-c", "-o", "/dev/null", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True)


def parse(text: str) -> clang.TranslationUnit:
    """The declarations of a C text that may include public headers."""
    resources = subprocess.run(["clang", "-print-resource-dir"], capture_output=True, text=True, check=True)
    arguments = ["-xc", "-std=c17", f"-I{INCLUDE}", "-resource-dir", resources.stdout.strip()]
    unit = clang.Index.create().parse("all.c", arguments, unsaved_files=[("all.c", text)])
    assert [str(note) for note in unit.diagnostics] == []
    return unit


def is_ours(cursor: clang.Cursor) -> bool:
    name = cursor.location.file.name if cursor.location.file else ""
    return name == "all.c" or name.startswith(str(INCLUDE))


def functions(unit: clang.TranslationUnit) -> list[clang.Cursor]:
    """The functions with external linkage that our headers declare."""
    return [
        cursor
        for cursor in unit.cursor.get_children()
        if cursor.kind == clang.CursorKind.FUNCTION_DECL
        and cursor.linkage == clang.LinkageKind.EXTERNAL
        and is_ours(cursor)
    ]


def undocumented(unit: clang.TranslationUnit) -> list[str]:
    """The functions without a comment directly above; one comment may stand above a block of them."""
    wrong, covered = [], (None, 0)
    for cursor in functions(unit):
        above = (cursor.location.file.name, cursor.extent.start.line - 1)
        if cursor.raw_comment or above == covered:
            covered = (above[0], cursor.extent.end.line)
        else:
            wrong.append(cursor.spelling)
    return wrong


def misnamed(unit: clang.TranslationUnit) -> list[str]:
    """The names at file scope, and enumerators, that could collide with a user's own."""
    wrong = []
    for cursor in filter(is_ours, unit.cursor.get_children()):
        name = cursor.spelling
        if name and "(" not in name and not name.startswith("brio_"):
            wrong.append(name)
        if cursor.kind == clang.CursorKind.ENUM_DECL:
            members = [item.spelling for item in cursor.get_children()]
            wrong += [member for member in members if not member.startswith("BRIO_")]
    return wrong


def everything() -> str:
    return "".join(f"#include <brio/{header.name}>\n" for header in PUBLIC_HEADERS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("header", PUBLIC_HEADERS, ids=lambda path: path.name)
def test_compiles_alone(header, language):
    done = compile_text(language, f"#include <brio/{header.name}>\n")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_included_twice(language):
    done = compile_text(language, everything() * 2)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_defect_is_seen(language):
    assert compile_text(language, "int f(size_t n);\n").returncode != 0
    assert compile_text(language, "static int unused(void) { return 0; }\n").returncode != 0


def test_the_umbrella_includes_all():
    text = (INCLUDE / "brio" / "brio.h").read_text()
    missing = [h.name for h in PUBLIC_HEADERS if h.name != "brio.h" and f"<brio/{h.name}>" not in text]
    # What another header brings in need not be named again.
    included = parse("#include <brio/brio.h>\n").get_includes()
    reached = {str(item.include.name).rsplit("/", 1)[-1] for item in included}
    assert set(missing) - reached == set()


def test_every_header_is_installed():
    text = (ROOT / "include" / "meson.build").read_text()
    assert [header.name for header in PUBLIC_HEADERS if f"'brio/{header.name}'" not in text] == []


def test_every_function_is_documented():
    assert undocumented(parse(everything())) == []


def test_a_function_without_comment_is_seen():
    unit = parse("/** Do. */\nint brio_a(void);\nint brio_b(void);\n\nint brio_c(void);\nint brio_d(void);\n")
    assert undocumented(unit) == ["brio_c", "brio_d"]


def test_every_name_has_the_prefix():
    assert misnamed(parse(everything())) == []


def test_a_name_without_prefix_is_seen():
    unit = parse("enum brio_e { BRIO_A, B };\nint brio_a(void);\nint other(void);\ntypedef int thing;\n")
    assert misnamed(unit) == ["B", "other", "thing"]
