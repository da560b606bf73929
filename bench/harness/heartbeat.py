"""The noise guard: a fixed piece of work around every round tells whether the machine changed pace."""

import time

import numpy as np

CHANGE = 0.15  # largest difference between the beats before and after a round
UNSTABLE = 0.30  # largest share of dropped rounds before a row has no verdict


def _steal_ticks():
    try:
        with open("/proc/stat", encoding="ascii") as file:
            return int(file.readline().split()[8])
    except (OSError, IndexError, ValueError):
        return 0


class Heartbeat:
    """About 15 ms of memory traffic (a triad out of cache), then of arithmetic in cache."""

    def __init__(self, megabytes=64):
        count = megabytes * 2**20 // 8
        self._a, self._b, self._c = np.ones(count), np.ones(count), np.empty(count)
        self._small = np.ones(4096)
        self.beat()

    def beat(self):
        """Does the work once; returns what `same_pace` compares: seconds and stolen ticks."""
        start = time.perf_counter()
        np.add(self._a, self._b, out=self._c)
        for _ in range(2000):
            np.multiply(self._small, 1.0, out=self._small)
        return time.perf_counter() - start, _steal_ticks()


def same_pace(before, after):
    """Whether a round between these two beats may count."""
    slow, fast = max(before[0], after[0]), min(before[0], after[0])
    return slow <= fast * (1 + CHANGE) and before[1] == after[1]
