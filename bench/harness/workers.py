"""Fresh processes: what starting costs."""

import os
import subprocess
import time


def process_timer(command, environment=None):
    """A timer for `rounds.measure` that runs a command to its end, `loops` times."""
    settings = {**os.environ, **(environment or {})}

    def run(loops):
        start = time.perf_counter()
        for _ in range(loops):
            subprocess.run(command, env=settings, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        return time.perf_counter() - start

    return run
