"""Input data: counter-based, so that one seed gives the same bytes on every machine."""

import numpy as np

SEED = 20260


def _generator(column, seed):
    return np.random.Generator(np.random.Philox(key=[seed, column]))


def uniform(n, dtype=np.float32, low=0.0, high=1.0, column=0, seed=SEED):
    """`n` uniform numbers in [low, high)."""
    draws = _generator(column, seed).random(n, dtype=dtype)
    return draws if (low, high) == (0.0, 1.0) else draws * dtype(high - low) + dtype(low)


def integers(n, dtype=np.int64, column=0, seed=SEED):
    """`n` integers over the whole range of `dtype`."""
    info = np.iinfo(dtype)
    return _generator(column, seed).integers(info.min, info.max, size=n, dtype=dtype, endpoint=True)
