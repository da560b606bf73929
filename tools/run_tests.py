"""Runs every suite, prints what came of each, and ends with one line that counts all tests:
`N passed, 0 failed`, and `, N skipped` when some were, each named above with its reason.

    run_tests.py [--long] [--only NAME,...]

A suite prints nothing while it goes well; its output lies in build/test-logs/ and is shown when it fails."""

import argparse
import sys
import time

from testing import suites
from testing.outcome import Outcome


def run(suite, long: bool) -> Outcome:
    start = time.monotonic()
    outcome = suite.run(long)
    seconds = time.monotonic() - start
    state = "FAILED" if outcome.failed else "ok"
    print(f"{suite.name:14} {state:7} {outcome.summary():32} {seconds:6.1f} s", flush=True)
    for line in outcome.failures:
        print(f"    failed: {line}")
    for line in outcome.skip_lines():
        print(f"    skipped: {line}")
    if outcome.failed and outcome.log:
        print(outcome.tail())
        print(f"    all of it: {outcome.log}", flush=True)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the test suites.")
    parser.add_argument("--long", action="store_true", help="with what is too long for every commit")
    parser.add_argument("--only", help="suites to run, separated by commas")
    options = parser.parse_args()
    chosen = [s for s in suites.ALL if not s.long_only or options.long]
    if options.only:
        names = options.only.split(",")
        unknown = set(names) - {s.name for s in suites.ALL}
        if unknown:
            parser.error(f"no such suite: {', '.join(sorted(unknown))}")
        chosen = [s for s in suites.ALL if s.name in names]
    print(f"seed {suites.SEED}", flush=True)
    total = sum((run(suite, options.long) for suite in chosen), Outcome())
    print(total.summary())
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
