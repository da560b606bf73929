"""`pytest -p brio.accel.pytest`: the tests run with NumPy accelerated, from before conftest on.

`--brio-report FILE` writes, a line a test, how many calls were accelerated and declined in it.
"""

from . import install

_report = None


def pytest_addoption(parser):
    group = parser.getgroup("brio")
    group.addoption(
        "--brio-report", metavar="FILE", help="counts of accelerated and declined calls, a line a test"
    )


def pytest_configure(config):
    global _report
    import numpy  # noqa: F401

    install()
    path = config.getoption("--brio-report")
    if path:
        _report = open(path, "w", encoding="utf-8")  # noqa: SIM115


def pytest_unconfigure(config):
    global _report
    if _report is not None:
        _report.close()
        _report = None


def pytest_runtest_logreport(report):
    if _report is None or report.when != "call":
        return
    from . import _interpose

    counters = _interpose.counters()
    _interpose.reset_counters()
    done = counters["evaluated"] + counters["reductions"] + counters["sorts"]
    print(report.nodeid, done, sum(counters["declined"].values()), sep="\t", file=_report)
