"""numexpr: one expression at a time, compiled once and cached by its text."""

from bench.peers import Peer


def setup(threads):
    import numexpr

    numexpr.set_num_threads(threads)
    return Peer("numexpr", numexpr.__version__, {"evaluate": numexpr.evaluate}, lambda array: array)
