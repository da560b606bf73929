"""Runs rows: check first, then time, then one record a row, size and peer."""

import sys
import time

from bench import peers as peer_modules
from bench.harness import limits as limits_module
from bench.harness import memory, rounds, statistics
from bench.workloads.base import CheckFailed

PEERS = ("brio", "numpy", "numexpr")
BUDGET = {"cpu": (8.0, 30.0), "smoke": (2.0, 2.0)}  # seconds a row and size; at the named size


class Context:
    """What one run of the suite shares: the set, the peers, the limits, and how records are made."""

    def __init__(self, chosen, threads, names=PEERS, guard=None, machine_limits=None, quiet=False):
        self.set, self.threads, self.guard, self.quiet = chosen, threads, guard, quiet
        self.peers = {name: peer_modules.load(name, threads) for name in PEERS if name in ("brio", *names)}
        self.limits = machine_limits or {"B": 1e10, "P": 1e11}

    def progress(self, text):
        if not self.quiet and sys.stderr.isatty():
            print(f"\r{text:70s}", end="", file=sys.stderr, flush=True)

    def _record(self, row, name, work, n, peer):
        return {
            "id": name,
            "work": work,
            "size": n,
            "unit": getattr(row, "unit", "elements"),
            "peer": peer,
            "peer_version": self.peers[peer].version if peer in self.peers else "",
            "threads": self.threads,
            "device": "cpu",
        }

    def ratio_record(self, row, name, work, n, peer, samples, goal, aim):
        """A record of Brio's time against a peer's."""
        record = self._record(row, name, work, n, peer)
        times = [seconds for seconds in samples.seconds[peer] if seconds is not None]
        brio = samples.seconds.get("brio", [])
        record |= {"rounds": samples.rounds, "dropped": samples.dropped, "t_brio": brio, "t_peer": times}
        record |= {"goal": goal, "aim": aim, "verdict": "absent", "unstable": samples.unstable}
        if brio:
            median, low, high = statistics.bootstrap_median(samples.ratios(peer))
            record |= {"ratio": median, "ratio_lo": low, "ratio_hi": high}
            record["verdict"] = statistics.verdict(low, high, goal)
            share = max(samples.cpu_over_wall.values(), default=0)
            record["cpu_over_wall"] = share
            if share > self.threads + 0.05:
                record["verdict"] = "void"
            elif samples.unstable and goal is not None:
                record["verdict"] = "unstable"
        return record

    def value(self, row, unit, median, low, high, goal, samples=None):
        """A record of a plain quantity, of which less is better."""
        record = self._record(row, row.id, row.work, 1, "-")
        record |= {"unit": unit, "value": median, "value_lo": low, "value_hi": high, "goal": goal}
        record["verdict"] = statistics.verdict(low, high, goal, at_most=True)
        if samples:
            record |= {"t_brio": samples.seconds["brio"], "t_peer": samples.seconds["base"]}
        return record

    def absent(self, row, reason, peer="-", n=1):
        record = self._record(row, row.id, row.work, n, peer)
        return record | {"verdict": "absent", "reason": reason, "goal": None}

    def failed(self, row, reason, peer, n):
        return self.absent(row, reason, peer, n) | {"verdict": "wrong"}


def run_row(row, context):
    """All records of one row. A failed check gives a `wrong` record and no time."""
    if hasattr(row, "run"):
        context.progress(row.id)
        return row.run(context)
    records = []
    for n in row.sizes[context.set]:
        context.progress(f"{row.id} {n}")
        records += _run_size(row, n, context)
    _add_exponent(records)
    return records


def _run_size(row, n, context):
    wanted = [context.peers[name] for name in row.statements if name in context.peers]
    others = [peer.name for peer in wanted if peer.name != "brio"]
    if not context.peers["brio"].present:
        return [context.absent(row, context.peers["brio"].reason, name, n) for name in others]
    data = row.make(n)
    checks = {}
    for peer in wanted:
        if not peer.present:
            continue
        try:
            statement = row.statements[peer.name]
            checks[peer.name] = row.check(peer.name, statement, row.namespace(peer, data), data)
        except CheckFailed as error:
            return [context.failed(row, str(error), peer.name, n)]
        except Exception as error:
            if peer.name != "brio":
                raise
            # a face that lacks the function: the row is absent, the run goes on
            reason = f"{type(error).__name__}: {error}"
            return [context.absent(row, reason, other, n) for other in others]
    budget = BUDGET[context.set][n == row.named]
    samples = rounds.measure(row.timers(wanted, data), budget, context.guard)
    peak = {name: _peak(row, context.peers[name], data) for name in checks}
    records = []
    for peer in wanted:
        if peer.name == "brio":
            continue
        if not peer.present:
            records.append(context.absent(row, peer.reason, peer.name, n))
            continue
        aim = row.aim(peer.name, n)
        record = context.ratio_record(
            row, row.id, row.work, n, peer.name, samples, row.goal(peer.name, n), aim
        )
        record |= {"check": checks.get("brio", {}), "moved": row.moved(n), "flops": row.flops(n)}
        record |= {"peak_brio": peak.get("brio"), "peak_peer": peak.get(peer.name)}
        if record["t_brio"] and row.moved(n):
            best, kind = limits_module.time_at_limit(context.limits, row.moved(n), row.flops(n))
            record |= {"eff": best / sorted(record["t_brio"])[len(record["t_brio"]) // 2], "limit_kind": kind}
        records.append(record)
    return records


def _peak(row, peer, data):
    timers = row.timers([peer], data)
    return memory.peak_of(lambda: timers[peer.name](1)) if timers else None


def _add_exponent(records):
    by_peer = {}
    for record in records:
        if record.get("t_brio"):
            by_peer.setdefault(record["peer"], []).append(record)
    for several in by_peer.values():
        seconds = [sorted(r["t_brio"])[len(r["t_brio"]) // 2] for r in several]
        exponent = statistics.fit_exponent([r["size"] for r in several], seconds)
        for record in several:
            record["exponent"] = exponent


def run(rows, context):
    """Runs all rows; returns the records and the seconds it took."""
    start = time.perf_counter()
    records = [record for row in rows for record in run_row(row, context)]
    context.progress("")
    return records, time.perf_counter() - start
