"""What a reader should never meet in the tree."""

import re

import pytest
from tree import ROOT, files, relative

LONGEST = 1200
LARGEST = 300_000
TEXT = (".c", ".h", ".def", ".inc", ".py", ".pyi", ".md", ".build", ".txt", ".toml", ".sh", ".yml", ".in")


def any_of(*parts: tuple[str, str]) -> re.Pattern:
    """A pattern of words given in two pieces each, so that this file passes its own check."""
    return re.compile("|".join(first + second for first, second in parts))


FLAWS = {
    "a path of one machine": any_of(
        ("/ro", "ot/"), ("/ho", "me/[a-z]"), ("/wo", "rk/"), ("/op", "t/wheels"), ("/tm", "p/[a-z]")
    ),
    "a registry's host": any_of(
        ("py", r"pi\.org"), ("pythonho", r"sted\.org"), ("deb", r"ian\.org"), ("ubun", r"tu\.com")
    ),
    "something unfinished": any_of((r"\bTO", r"DO\b"), (r"\bFIX", r"ME\b"), (r"\bXX", r"X\b")),
    "blanks at the end": re.compile(r"\s$"),
}
NAMED = re.compile(r"`((?:bench|changelog|docs|examples|include|python|scripts|src|tests|tools)/[\w./-]*)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def texts():
    chosen = [
        path for path in files() if path.suffix in TEXT or path.name in ("Makefile", "bootstrap", "run")
    ]
    return [path for path in chosen if path.name != "LICENSE"]


def complaints(name: str, text: str) -> list[str]:
    """What is wrong with one text file of the tree."""
    wrong = []
    if text.count("\n") > LONGEST:
        wrong.append(f"{name}: more than {LONGEST} lines")
    if text and not text.endswith("\n"):
        wrong.append(f"{name}: no newline at the end")
    for number, line in enumerate(text.splitlines(), 1):
        wrong += [f"{name}:{number}: {kind}" for kind, pattern in FLAWS.items() if pattern.search(line)]
        if "\t" in line and not name.endswith("Makefile"):
            wrong.append(f"{name}:{number}: a tab")
    return wrong


def dead_links(path, text: str) -> list[str]:
    """The relative links of a page that lead nowhere, and the files that it names and that are not there."""
    links = [link for link in LINK.findall(text) if "://" not in link and not link.startswith("mailto:")]
    dead = [link for link in links if not (path.parent / link).exists()]
    dead += [name for name in NAMED.findall(text) if not (ROOT / name).exists()]
    return [f"{path.name}: {name}" for name in dead]


def test_texts_are_clean():
    found = [complaints(relative(path), path.read_text(encoding="utf-8")) for path in texts()]
    assert [line for lines in found for line in lines] == []


def test_no_large_or_generated_files():
    large = [relative(path) for path in files() if path.stat().st_size > LARGEST]
    generated = [relative(path) for path in files(".o", ".so", ".a", ".pyc", ".npy", ".npz", ".whl")]
    assert large + generated == []


def test_links_lead_somewhere():
    assert [line for path in files(".md") for line in dead_links(path, path.read_text())] == []


def test_changelog_fragments_have_a_kind():
    kinds = {"added", "changed", "fixed", "removed"}
    fragments = [path.name for path in (ROOT / "changelog").glob("*.md") if path.name != "README.md"]
    assert [name for name in fragments if name.split(".")[-2] not in kinds] == []


@pytest.mark.parametrize(
    "text",
    [
        "x\n" * (LONGEST + 1),
        "no newline",
        "blank \n",
        "\ttab\n",
        "see /ro" + "ot/x\n",
        "from py" + "pi.org\n",
        "/* TO" + "DO: later */\n",
    ],
)
def test_a_defect_is_seen(text):
    assert complaints("a.c", text) != []


def test_a_dead_link_is_seen():
    assert dead_links(ROOT / "README.md", "[here](nowhere.md), [there](Makefile)") == [
        "README.md: nowhere.md"
    ]
