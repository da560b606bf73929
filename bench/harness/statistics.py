"""Medians with bootstrap intervals, verdicts, and the growth of time with size."""

import numpy as np

RESAMPLES = 2000
SEED = 20260


def bootstrap_median(values):
    """The median of `values` and its 95% bootstrap interval: (median, low, high)."""
    values = np.asarray(values, dtype=float)
    rng = np.random.Generator(np.random.Philox(SEED))
    draws = rng.integers(values.size, size=(RESAMPLES, values.size))
    low, high = np.percentile(np.median(values[draws], axis=1), [2.5, 97.5])
    return float(np.median(values)), float(low), float(high)


def half_width(values):
    """Half the width of the interval as a share of the median; infinite below three values."""
    if len(values) < 3:
        return float("inf")
    median, low, high = bootstrap_median(values)
    return (high - low) / 2 / abs(median) if median else float("inf")


def verdict(low, high, goal, at_most=False):
    """`pass`, `fail` or `open` (the goal lies inside the interval); `none` without a goal.

    `at_most`: the goal is an upper bound, as for times and sizes; otherwise a lower one, as for ratios.
    """
    if goal is None:
        return "none"
    if at_most:
        low, high, goal = -high, -low, -goal
    if low >= goal:
        return "pass"
    return "fail" if high < goal else "open"


def fit_exponent(sizes, seconds):
    """The slope of log time over log size, from the sizes where the call itself is no longer the cost."""
    sizes, seconds = np.asarray(sizes, dtype=float), np.asarray(seconds, dtype=float)
    large = seconds > 20 * seconds.min()
    if np.count_nonzero(large) < 3:
        return None
    return float(np.polyfit(np.log(sizes[large]), np.log(seconds[large]), 1)[0])
