"""Rows Z4 and Z6: what starting costs, and how large the installation is."""

import subprocess
import sys
from pathlib import Path

from bench.harness import rounds, statistics, workers

RUNS = {"cpu": 21, "smoke": 7}


class Startup:
    """Milliseconds that one command takes beyond another, in fresh processes that take turns."""

    sizes = {"cpu": (1,), "smoke": (1,)}

    def __init__(self, name, work, command, base, goal):
        self.id, self.work, self.goal_ms = f"Z4.{name}", work, goal
        self._command, self._base = command, base

    def run(self, context):
        timers = {"brio": workers.process_timer(self._command()), "base": workers.process_timer(self._base())}
        count = RUNS[context.set]
        try:
            samples = rounds.measure(timers, 60, None, min_rounds=count, max_rounds=count)
        except (OSError, subprocess.CalledProcessError) as error:
            return [context.absent(self, f"{self._command()[-1]} does not run: {error.__class__.__name__}")]
        over = [1e3 * (b - p) for b, p in zip(samples.seconds["brio"], samples.seconds["base"])]
        median, low, high = statistics.bootstrap_median(over)
        return [context.value(self, "ms", median, low, high, self.goal_ms, samples)]


class Size:
    """Megabytes of the library and the Python package; OpenBLAS apart."""

    id = "Z6"
    work = "installed libbrio.so and faces"
    sizes = {"cpu": (1,), "smoke": (1,)}
    goal_mb = 15

    def run(self, context):
        brio = context.peers["brio"]
        if not brio.present:
            return [context.absent(self, brio.reason)]
        package = Path(brio.names["xp"].__file__).parent
        files = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        files += [path for path in (Path(sys.prefix) / "lib").glob("libbrio*.so*") if not path.is_symlink()]
        megabytes = sum(path.stat().st_size for path in files if "openblas" not in path.name) / 1e6
        return [context.value(self, "MB", megabytes, megabytes, megabytes, self.goal_mb)]


def _python(code):
    return lambda: [sys.executable, "-c", code]


def _brio(*arguments):
    return lambda: [str(Path(sys.executable).with_name("brio")), *arguments]


ROWS = [
    Startup("import", "import brio, beyond Python", _python("import brio"), _python("pass"), 40),
    Startup("run", "brio run -c pass, beyond Python", _brio("run", "-c", "pass"), _python("pass"), 20),
    Startup(
        "run-numpy",
        "brio run -c 'import numpy', beyond it",
        _brio("run", "-c", "import numpy"),
        _python("import numpy"),
        None,
    ),
    Size(),
]
