"""Runs the scripts of examples/scripts plainly and under `brio run`, in turn, and compares the two.

Prints a table and, as its last line, the geometric mean of the gains and how many scripts gave equal
results; exits 0 only when all did. What the scripts wrote, and a picture of it, lie in out/demo.

usage: python -m examples.demo [--rounds N] [--only NAME,...] [--out FOLDER]
"""

import argparse
import math
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from examples import compare

SCRIPTS = Path(__file__).parent / "scripts"
BRIO = Path(sys.executable).with_name("brio")


@dataclass
class Run:
    """One run of a script: how it ended, what it printed, where it wrote and how long it took."""

    status: int
    stdout: str
    stderr: str
    folder: Path
    seconds: float


@dataclass
class Result:
    """All rounds of one script; seconds are the shortest of the rounds."""

    name: str
    plain: float = math.inf
    brio: float = math.inf
    differences: list = field(default_factory=list)

    @property
    def ratio(self):
        """How much sooner the script ends; NaN where it does not do the same."""
        return self.plain / self.brio if self.equal else math.nan

    @property
    def equal(self):
        return not self.differences


def run_script(command, folder):
    shutil.rmtree(folder, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BRIO_")}
    start = time.perf_counter()
    done = subprocess.run(
        [*command, str(folder)], capture_output=True, text=True, env=environment, check=False
    )
    return Run(done.returncode, done.stdout, done.stderr, folder, time.perf_counter() - start)


def differences_between(plain, brio):
    if plain.status != brio.status:
        return [f"exit status {brio.status} instead of {plain.status}: {brio.stderr.strip()}"]
    return (
        compare.compare_text(plain.stdout, brio.stdout, "output")
        + compare.compare_text(plain.stderr, brio.stderr, "errors")
        + compare.compare_folders(plain.folder, brio.folder)
    )


def measure(script, rounds, out):
    """Runs one script plainly and under Brio `rounds` times, taking turns in being first."""
    commands = {
        "plain": [sys.executable, str(script)],
        "brio": [str(BRIO), "run", "--results=close", str(script)],
    }
    result = Result(script.stem)
    for index in range(rounds):
        order = ["plain", "brio"] if index % 2 == 0 else ["brio", "plain"]
        runs = {kind: run_script(commands[kind], out / kind / script.stem) for kind in order}
        if runs["plain"].status != 0:
            sys.exit(f"{script} fails without Brio:\n{runs['plain'].stderr}")
        result.plain = min(result.plain, runs["plain"].seconds)
        result.brio = min(result.brio, runs["brio"].seconds)
        result.differences += differences_between(runs["plain"], runs["brio"])
    return result


def device_name():
    code = "import brio; print(brio.default_device())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "cpu"


def print_row(result, device):
    equal = "yes" if result.equal else "no"
    print(
        f"{result.name:20s} {result.plain:8.2f} {result.brio:8.2f} {result.ratio:7.2f}  {equal:5s}  {device}",
        flush=True,
    )
    for difference in dict.fromkeys(result.differences):
        print(f"    {difference}")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m examples.demo", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kind (3)")
    parser.add_argument("--only", help="names of scripts, separated by commas")
    parser.add_argument(
        "--out", type=Path, default=Path("out/demo"), help="folder for what the scripts write"
    )
    options = parser.parse_args(arguments)

    scripts = sorted(SCRIPTS.glob("*.py"))
    if options.only:
        scripts = [script for script in scripts if script.stem in options.only.split(",")]
    if not scripts:
        parser.error("no such script")
    if not BRIO.exists():
        sys.exit(f"{BRIO} is missing: run make first")

    device = device_name()
    print(f"{'script':20s} {'plain s':>8s} {'Brio s':>8s} {'ratio':>7s}  equal  device")
    results = []
    for script in scripts:
        results.append(measure(script, options.rounds, options.out))
        print_row(results[-1], device)

    equal = [result for result in results if result.equal]
    if len(equal) == len(scripts) and not options.only:
        from examples import picture

        path = picture.draw(options.out / "brio", results, options.out / "demo.png")
        print(f"picture: {path}")
    mean = math.prod(result.ratio for result in equal) ** (1 / max(len(equal), 1))
    print(f"geometric mean {mean:.1f}, {len(equal)} of {len(results)} equal")
    return 0 if len(equal) == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
