"""Lists that two places keep, each in its own language, agree."""

import ast
import re

from tree import ROOT


def aliases_in_c(text: str) -> dict[str, str]:
    return dict(re.findall(r'\{"(\w+)", BRIO_OPCODE_(\w+)\}', text))


def aliases_in_python(text: str) -> dict[str, str]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_ALIASES":
            return ast.literal_eval(node.value)
    raise AssertionError("there are no _ALIASES")


def test_other_names_of_operations():
    mine = aliases_in_c((ROOT / "src" / "op" / "op.c").read_text())
    theirs = aliases_in_python((ROOT / "python" / "brio" / "__init__.py").read_text())
    assert len(mine) > 10
    assert mine == theirs


def test_the_version_is_stated_alike():
    header = (ROOT / "include" / "brio" / "base.h").read_text()
    parts = [re.search(rf"BRIO_VERSION_{p} (\d+)", header).group(1) for p in ("MAJOR", "MINOR", "PATCH")]
    text = re.search(r'BRIO_VERSION_STRING "([\d.]+)"', header).group(1)
    build = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text()).group(1)
    package = re.search(r'^version = "([\d.]+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE).group(1)
    assert ".".join(parts) == text == build == package
