"""NumPy's own tests with NumPy's operations interposed: every test must end as it does without.

    .venv/bin/python tools/numpy_tests.py [--gates default,0] [MODULE ...]

Runs the modules three times: plain, accelerated, and accelerated with every gate at its least. Prints
the tests whose outcome differs and, per run, `N tests, same outcome for N, M differ`; the exit status is 1
when any differs. Tests that NumPy marks as slow are left out.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

MODULES = [
    *(
        f"numpy._core.tests.test_{name}"
        for name in (
            "ufunc",
            "umath",
            "numeric",
            "multiarray",
            "indexing",
            "nep50_promotions",
            "mem_overlap",
            "item_selection",
            "casting_unittests",
            "errstate",
            "einsum",
        )
    ),
    *(
        f"numpy.lib.tests.test_{name}"
        for name in (
            "function_base",
            "arraysetops",
            "nanfunctions",
            "shape_base",
            "stride_tricks",
            "index_tricks",
        )
    ),
]
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def outcomes(path):
    """{test: outcome} of a report in JUnit's format."""
    found = {}
    for case in xml.parse(path).iter("testcase"):
        name = ADDRESS.sub("", f"{case.get('classname')}::{case.get('name')}")
        marks = {child.tag for child in case} & {"failure", "error", "skipped"}
        found[name] = "+".join(sorted(marks)) or "passed"
    return found


def run(modules, gates):
    """Runs the modules: gates None is plain Python, else the value of BRIO_GATE ("" for the usual ones)."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BRIO_")}
    plugin = []
    if gates is not None:
        environment["BRIO_GATE"] = gates
        plugin = ["-p", "brio.accel.pytest"]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [
            sys.executable,
            "-m",
            "pytest",
            *plugin,
            "-p",
            "no:cacheprovider",
            "-q",
            "--tb=no",
            "-m",
            "not slow",
        ]
        command += ["--no-header", "-o", "junit_logging=no", f"--junitxml={report}", "--pyargs", *modules]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if not report.exists():
            sys.exit(f"numpy_tests: no report of pytest:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        print(f"{describe(gates)}: {done.stdout.strip().splitlines()[-1].strip('= ')}", flush=True)
        return outcomes(report)


def describe(gates):
    return "plain" if gates is None else f"accelerated, {'gates at 0' if gates == '0' else 'default gates'}"


def compare(plain, other):
    """The tests that ended otherwise, as lines."""
    return [
        f"  {name}: {plain.get(name, 'absent')}, then {other.get(name, 'absent')}"
        for name in sorted(plain.keys() | other.keys())
        if plain.get(name) != other.get(name)
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gates", default="default,0", help="which accelerated runs (default: default,0)")
    parser.add_argument("modules", nargs="*", default=MODULES, metavar="MODULE")
    choices = parser.parse_args()
    plain = run(choices.modules, None)
    failed = not plain
    for word in choices.gates.split(","):
        gates = "0" if word == "0" else ""
        lines = compare(plain, run(choices.modules, gates))
        print(*lines, sep="\n", end="\n" if lines else "")
        print(
            f"{describe(gates)}: {len(plain)} tests, same outcome for {len(plain) - len(lines)}, {len(lines)} differ"
        )
        failed |= bool(lines)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
