"""NumPy, the original of arrays: on one thread but for its matrix products."""

from bench.peers import Peer


def setup(threads):
    import numpy as np

    return Peer("numpy", np.__version__, {"np": np}, lambda array: array)
