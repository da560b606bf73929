"""Brio's own arrays. `wait` ends a timed statement: it settles what is pending."""

from bench.peers import Peer


def setup(threads):
    import brio as xp

    # a view of an array's memory cannot be had before its elements are there
    wait = getattr(xp, "wait", memoryview)
    return Peer("brio", xp.__version__, {"xp": xp, "wait": wait}, xp.array)
