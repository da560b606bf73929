"""Writes the type stub of the package from where its names come: the operation table, the lists of
the Python modules, the stub of the extension.

    stubs.py TABLE PACKAGE OUTPUT      (src/op/table.def, python/brio, .../__init__.pyi)"""

import ast
import re
import sys
from pathlib import Path

MODULES = ("_creation", "_manipulation", "_statistics")


def operations(table: Path) -> list[str]:
    return re.findall(r"^BRIO_OP\((\w+),", table.read_text(), re.MULTILINE)


def assigned(tree: ast.Module, name: str) -> ast.expr:
    """What a module assigns to a name."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == name for t in node.targets
        ):
            return node.value
    raise SystemExit(f"there is no assignment to {name}")


def words(node: ast.expr) -> list[str]:
    """The words of the "a b c".split() in an expression."""
    return [w for n in ast.walk(node) if isinstance(n, ast.Constant) for w in str(n.value).split()]


def lazy(node: ast.expr) -> list[tuple[str, str]]:
    """(module, name) of each dict.fromkeys("a b".split(), "module") within a dict."""
    found = []
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "fromkeys":
            names, module = call.args
            found += [(module.value, name) for name in words(names)]
    return found


def stub(table: Path, package: Path) -> str:
    init = ast.parse((package / "__init__.py").read_text())
    core = (package / "_core.pyi").read_text()
    lines = [
        "# Made by python/stubs.py from the operation table and the lists of the package.",
        "from typing import Any",
        "",
    ]
    taken = set()

    def take(module: str, names: list[str]):
        for name in names:
            if name not in taken:
                taken.add(name)
                lines.append(f"from brio.{module} import {name} as {name}")

    for module in MODULES:
        tree = ast.parse((package / f"{module}.py").read_text())
        take(module, ast.literal_eval(assigned(tree, "__all__")))
    take("_core", words(assigned(init, "_PUBLIC")))
    take("_core", re.findall(r"^(\w+): function$", core, re.MULTILINE))
    for module, name in lazy(assigned(init, "_LAZY")):
        if module != "accel":
            take(module, [name])
    take("_interop", ["asnumpy"])
    lines += [f"from brio import {m} as {m}" for m in ("config", "exceptions", "memory")]
    lines += ["", "concat = concatenate", "around = round", ""]
    names = [n for n in operations(table) if n not in taken]
    aliases = ast.literal_eval(assigned(init, "_ALIASES"))
    names += [a for a, target in aliases.items() if target in operations(table) and a not in taken]
    lines += [f"{name}: ufunc" for name in names]
    lines += [f"{name}: Any" for name in ("bool", *words(assigned(init, "_SCALARS")))]
    lines += ["", "def install(*args: Any, **kwargs: Any) -> Any: ...", "def uninstall() -> Any: ..."]
    lines += ["def accelerated(*args: Any, **kwargs: Any) -> Any: ...", "def original() -> Any: ..."]
    lines += ["def own(name: str) -> Any: ...", "def coverage() -> dict[str, str]: ..."]
    lines += ["def __getattr__(name: str) -> Any: ...", "", "__version__: str", "__array_api_version__: str"]
    lines += [f"{name}: float" for name in ("e", "pi", "euler_gamma", "inf", "nan")] + ["newaxis: None"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    table, package, output = map(Path, sys.argv[1:])
    output.write_text(stub(table, package))
