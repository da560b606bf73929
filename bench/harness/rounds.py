"""Interleaved rounds: each runs Brio and every peer once, in an order rotated from round to round."""

import inspect
import math
import os
import time
import timeit
from dataclasses import dataclass, field

from bench.harness import heartbeat, statistics

MIN_ROUNDS, MAX_ROUNDS = 11, 51
HALF_WIDTH = 0.04
SAMPLE_SECONDS = 1e-3  # a sample shorter than this is a loop of calls
SLOW_SECONDS, VERY_SLOW_SECONDS = 3.0, 60.0


@dataclass
class Samples:
    """Seconds a call, by contender, over the rounds that counted."""

    seconds: dict
    dropped: int = 0
    cpu_over_wall: dict = field(default_factory=dict)

    def ratios(self, peer, brio="brio"):
        """Peer's time over Brio's, round by round (a slow peer may have fewer rounds)."""
        return [p / b for p, b in zip(self.seconds[peer], self.seconds[brio]) if p is not None]

    def add(self, taken):
        """Counts one round: seconds a call, by contender."""
        for name, seconds in taken.items():
            self.seconds[name].append(seconds)

    @property
    def rounds(self):
        return len(next(iter(self.seconds.values())))

    @property
    def unstable(self):
        return self.dropped > heartbeat.UNSTABLE * max(self.dropped + self.rounds, 1)


def statement_timer(statement, names):
    """A timer of a line of Python. Modules and functions in `names` are its globals, all else its locals."""
    inner = {
        name: value for name, value in names.items() if not callable(value) and not inspect.ismodule(value)
    }
    setup = "; ".join(f"{name} = _names['{name}']" for name in inner) or "pass"
    return timeit.Timer(statement, setup, globals={**names, "_names": inner}).timeit


def loops_for(timer):
    """How many calls make one sample; the calls done here also warm the contender up."""
    loops, seconds = 1, timer(1)
    while seconds < SAMPLE_SECONDS:
        seconds = timer(loops)
        if seconds < SAMPLE_SECONDS:
            loops = min(
                loops * 10, max(loops + 1, math.ceil(1.2 * loops * SAMPLE_SECONDS / max(seconds, 1e-9)))
            )
    return loops, seconds / loops


def _allowed_rounds(seconds):
    if seconds > VERY_SLOW_SECONDS:
        return 1
    return 3 if seconds > SLOW_SECONDS else MAX_ROUNDS


def measure(timers, budget, guard=None, min_rounds=MIN_ROUNDS, max_rounds=MAX_ROUNDS):
    """Times the contenders. `timers`: name -> callable(loops) -> seconds; `budget`: seconds for all.

    Ends when every ratio is known to 4%, at the end of the budget (but not before `min_rounds`), or at
    `max_rounds`. A round during which the machine changed its pace counts for nobody.
    """
    loops, limit = {}, {}
    for name, timer in timers.items():
        loops[name], seconds = loops_for(timer)
        limit[name] = _allowed_rounds(seconds)
    samples = Samples({name: [] for name in timers}, cpu_over_wall=dict.fromkeys(timers, 0.0))
    names = list(timers)
    spare = []
    start = time.perf_counter()
    for index in range(2 * max_rounds):
        rotated = names[index % len(names) :] + names[: index % len(names)]
        before = guard.beat() if guard else None
        taken = {}
        for name in rotated:
            if samples.rounds >= limit[name]:
                taken[name] = None
                continue
            clock = os.times()
            seconds = timers[name](loops[name])
            used = os.times()
            taken[name] = seconds / loops[name]
            if seconds > 0.2:  # the kernel counts processor time in ticks of 10 ms
                busy = used.user + used.system - clock.user - clock.system
                share = busy / max(seconds, used.elapsed - clock.elapsed)
                samples.cpu_over_wall[name] = max(samples.cpu_over_wall[name], share)
        if guard and not heartbeat.same_pace(before, guard.beat()):
            samples.dropped += 1
            spare.append(taken)
        else:
            samples.add(taken)
        if _finished(samples, time.perf_counter() - start, budget, min_rounds, max_rounds):
            break
    if samples.rounds < 3:  # too unquiet to judge, but not to show: `unstable` says so
        for taken in spare:
            samples.add(taken)
    return samples


def _finished(samples, elapsed, budget, min_rounds, max_rounds):
    rounds = samples.rounds
    if rounds >= max_rounds:
        return True
    tried = rounds + samples.dropped
    if (elapsed > 2 * budget and tried >= 3) or (elapsed > budget and tried >= min_rounds):
        return True
    if rounds < min_rounds:
        return False
    peers = [name for name in samples.seconds if name != "brio"]
    if "brio" not in samples.seconds:
        return statistics.half_width(samples.seconds[peers[0]]) < HALF_WIDTH
    return all(statistics.half_width(samples.ratios(peer)) < HALF_WIDTH for peer in peers)
