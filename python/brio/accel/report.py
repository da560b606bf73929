"""What `--report` and `--verify` say when the process ends."""

import atexit
import os
import sys

_registered = False


def lines(counters):
    """Three lines for a reader."""
    declined = counters["declined"]
    reasons = ", ".join(
        f"{name} {count}" for name, count in sorted(declined.items(), key=lambda item: -item[1])
    )
    return [
        f"brio: {counters['evaluated'] + counters['reductions'] + counters['sorts']} calls accelerated "
        f"({counters['operations']} operations, {counters['fused']} of them fused) in {counters['seconds']:.3f} s",
        f"brio: {sum(declined.values())} large calls left to NumPy{': ' + reasons if reasons else ''}",
        f"brio: {counters['replays']} regions replayed for floating-point warnings, "
        f"{counters['verified']} verified, {counters['mismatches']} differed",
    ]


def _tell():
    from . import _interpose

    counters = _interpose.counters()
    try:
        if os.environ.get("BRIO_REPORT"):
            print(*lines(counters), sep="\n", file=sys.stderr)
        elif counters["mismatches"]:
            print(lines(counters)[2], file=sys.stderr)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass
    if counters["mismatches"]:
        try:
            sys.stdout.flush()
        finally:
            os._exit(3)


def at_exit():
    """Registers the report, once."""
    global _registered
    if not _registered:
        _registered = True
        atexit.register(_tell)
