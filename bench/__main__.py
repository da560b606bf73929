"""Runs the benchmark: `python -m bench [--set cpu|smoke] [--only A1,A3.*] [--threads 2] [--out DIR]`.

Exits 1 when a check failed, when a row fell below an earlier report (--against), and, in the set
`smoke`, when a call that Brio declines got slower.
"""

import argparse
import fnmatch
import json
import subprocess
import sys
from pathlib import Path

from bench.harness import environment


def _parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m bench", description="Brio beside its peers.")
    parser.add_argument("--set", default="cpu", choices=("cpu", "smoke"), help="which sizes (cpu)")
    parser.add_argument("--only", default="*", help="rows by id, with wildcards: A1,A3*,harm")
    parser.add_argument("--peers", default="numpy,numexpr", help="contenders beside Brio")
    parser.add_argument("--threads", default=str(environment.default_threads()), help="such as 2, or 1,2")
    parser.add_argument("--out", type=Path, default=Path("out/bench"), help="folder for the report")
    parser.add_argument("--against", type=Path, help="an earlier report.json to compare with")
    parser.add_argument("--no-guard", action="store_true", help="count rounds on an unquiet machine too")
    return parser.parse_args(arguments)


def _chosen(rows, only):
    patterns = only.split(",")
    return [
        row
        for row in rows
        if any(fnmatch.fnmatch(row.id, p) or fnmatch.fnmatch(row.id.split(".")[0], p) for p in patterns)
    ]


def _run_each(threads, arguments, out):
    """Several thread counts: one process each, since libraries read their thread variable once."""
    status = 0
    for count in threads:
        command = [
            sys.executable,
            "-m",
            "bench",
            *arguments,
            "--threads",
            count,
            "--out",
            str(out / f"t{count}"),
        ]
        print(f"threads {count}", flush=True)
        status |= subprocess.run(command, check=False).returncode
    return status


def main(arguments):
    options = _parse(arguments)
    threads = options.threads.split(",")
    if len(threads) > 1:
        return _run_each(threads, arguments, options.out)
    environment.set_threads(threads[0])

    from bench import report, runner
    from bench.harness import heartbeat, limits
    from bench.workloads import ROWS

    rows = _chosen(ROWS, options.only)
    if not rows:
        sys.exit(f"no row is called {options.only}")
    machine = limits.measure_limits()
    guard = None if options.no_guard else heartbeat.Heartbeat()
    context = runner.Context(options.set, int(threads[0]), options.peers.split(","), guard, machine)
    records, seconds = runner.run(rows, context)
    versions = {name: peer.version or f"absent: {peer.reason}" for name, peer in context.peers.items()}
    report.write(records, environment.describe(int(threads[0]), versions, machine), options.out)

    print("\n".join(report.table(records)))
    print(f"{report.summary(records)}; {seconds:.0f} s, {threads[0]} threads")
    print(f"report: {options.out}/report.json")
    bad = [r["id"] for r in records if r["verdict"] == "wrong"]
    if options.set == "smoke":
        bad += [r["id"] for r in records if r["id"].startswith("harm.") and r["verdict"] == "fail"]
    if options.against:
        bad += report.regressions(records, json.loads(options.against.read_text()))
    for line in bad:
        print(f"failed: {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
