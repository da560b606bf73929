"""The Python tests: pytest runs them, its XML report gives the counts."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from .commands import LOGS, run
from .outcome import Outcome

NO_TESTS = 5


def read_report(report: Path, outcome: Outcome) -> None:
    for case in ElementTree.parse(report).iter("testcase"):
        module = case.get("classname", "").split(".")[-1]
        problem = case.find("failure") if case.find("failure") is not None else case.find("error")
        skip = case.find("skipped")
        if problem is not None:
            outcome.failures.append(f"{module}::{case.get('name')}")
        elif skip is not None:
            kind = "known failure: " if "xfail" in (skip.get("type") or "") else ""
            outcome.skips.append(f"{module}: {kind}{skip.get('message') or 'no reason given'}")
        else:
            outcome.passed += 1


def run_pytest(python: Path, targets: list[str], log: Path, *, arguments: list[str] = (),
               environment: dict | None = None) -> Outcome:  # fmt: skip
    """Runs the tests in `targets`; when pytest ends before it reports, that is one failure."""
    targets = [target for target in targets if Path(target).exists()]
    if not targets:
        return Outcome(log=log)
    report = LOGS / f"{log.stem}.xml"
    report.unlink(missing_ok=True)
    command = [
        python,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--junitxml={report}",
        *arguments,
        *targets,
    ]
    status = run(command, log, environment)
    outcome = Outcome(log=log)
    if report.exists():
        read_report(report, outcome)
    silent = status != NO_TESTS and not report.exists()
    if (status not in (0, NO_TESTS) and not outcome.failures) or silent:
        outcome.failures.append(f"pytest ended with status {status}")
    return outcome
