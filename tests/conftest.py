"""Which of the tests marked `slow` run: none by default, all with --slow=1, a share with --slow=0.1.

The share is drawn by --seed, test by test, so that a run is repeated by naming its seed."""

import zlib


def pytest_addoption(parser):
    parser.addoption(
        "--slow", type=float, default=0.0, metavar="SHARE", help="share of slow tests to run, 0 to 1"
    )
    parser.addoption("--seed", type=int, default=0, help="what the share is drawn by")


def chosen(name: str, share: float, seed: int) -> bool:
    return zlib.crc32(f"{seed} {name}".encode()) < share * 2**32


def pytest_collection_modifyitems(config, items):
    if config.option.markexpr and "slow" in config.option.markexpr.replace("not slow", ""):
        return
    share, seed = config.getoption("slow"), config.getoption("seed")
    out = [item for item in items if item.get_closest_marker("slow") and not chosen(item.nodeid, share, seed)]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in out]
