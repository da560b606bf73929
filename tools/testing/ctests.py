"""The C tests: meson runs the programs, cmocka's own lines give the counts."""

import json
import re
from pathlib import Path

from .commands import MESON, run
from .outcome import Outcome

CASE = re.compile(r"^\[\s+(OK|FAILED|SKIPPED|  SKIPPED)\s+\] ([A-Za-z_]\w*)\s*$", re.MULTILINE)


def count_program(record: dict, outcome: Outcome) -> None:
    """Adds one program's cases to the outcome. A program that fails without a failed case, or says
    nothing that cmocka would say, counts as one test."""
    name = record["name"].split(":")[-1]
    text = record.get("stdout", "") + record.get("stderr", "")
    cases = CASE.findall(text)
    failed = {case for state, case in cases if state == "FAILED"}
    skipped = {case for state, case in cases if "SKIPPED" in state}
    good = [case for state, case in cases if state == "OK"]
    if record["result"] == "SKIP" and not cases:
        outcome.skips.append(
            f"{name}: {text.strip().splitlines()[-1] if text.strip() else 'no reason given'}"
        )
        return
    outcome.passed += len(good)
    outcome.failures += [f"{name}: {case}" for case in sorted(failed)]
    for case in sorted(skipped):
        reason = re.search(rf"{case}: skipped: (.*)", text)
        outcome.skips.append(f"{name}: {case}: {reason.group(1) if reason else 'no reason given'}")
    if record["result"] not in ("OK", "SKIP", "EXPECTEDFAIL") and not failed:
        outcome.failures.append(f"{name}: {record['result'].lower()}, exit status {record.get('returncode')}")
    elif not cases:
        outcome.passed += 1


def run_ctests(build: Path, log: Path, *, suite: str | None = None, wrapper: list[str] = (),
               environment: dict | None = None) -> Outcome:  # fmt: skip
    command = [*wrapper, MESON, "test", "-C", build, "--print-errorlogs", "--timeout-multiplier", "4"]
    if suite:
        command += ["--suite", suite]
    status = run(command, log, environment)
    outcome = Outcome(log=log)
    results = build / "meson-logs" / "testlog.json"
    if results.exists():
        for line in results.read_text().splitlines():
            count_program(json.loads(line), outcome)
    if status and not outcome.failures:
        outcome.failures.append(f"meson test ended with status {status}")
    return outcome
