"""The benchmark's own parts: what it counts, what it drops, what it refuses to time."""

import hashlib
import json

import numpy as np
import pytest

from bench import gen, report, runner
from bench.harm import micro
from bench.harness import heartbeat, rounds, statistics
from bench.peers import Peer
from bench.workloads import ROWS, base
from bench.workloads.arrays import Chain, Sort

pytestmark = pytest.mark.plain_build  # about the tools alone: one run is enough

# -- statistics


def test_interval_holds_the_median_and_narrows():
    values = np.random.default_rng(1).normal(2, 0.1, 200)
    few, many = statistics.bootstrap_median(values[:11]), statistics.bootstrap_median(values)
    assert few[1] <= few[0] <= few[2]
    assert many[2] - many[1] < few[2] - few[1]
    assert abs(many[0] - 2) < 0.05
    assert statistics.bootstrap_median(values) == many


@pytest.mark.parametrize(
    ("low", "high", "goal", "at_most", "expected"),
    [
        (1.1, 1.2, 1.0, False, "pass"),
        (1.0, 1.2, 1.0, False, "pass"),
        (0.8, 0.9, 1.0, False, "fail"),
        (0.9, 1.1, 1.0, False, "open"),
        (0.9, 1.1, None, False, "none"),
        (30, 39, 40, True, "pass"),
        (41, 50, 40, True, "fail"),
        (39, 41, 40, True, "open"),
    ],
)
def test_verdicts(low, high, goal, at_most, expected):
    assert statistics.verdict(low, high, goal, at_most) == expected


def test_exponent_leaves_out_where_the_call_is_the_cost():
    sizes = np.array([10, 100, 1000, 10**5, 10**6, 10**7])
    seconds = 1e-6 + 1e-9 * sizes.astype(float)
    assert abs(statistics.fit_exponent(sizes, seconds) - 1) < 0.02
    assert statistics.fit_exponent(sizes[:3], seconds[:3]) is None


# -- rounds


class Clock:
    """Timers that take what they are told to and remember their turns."""

    def __init__(self):
        self.turns = []

    def timer(self, name, seconds):
        def run(loops):
            self.turns.append(name)
            return seconds * loops

        return run


class Guard:
    """A heartbeat that is out of pace in the rounds whose number is listed."""

    def __init__(self, bad):
        self._bad, self._beats = bad, 0

    def beat(self):
        number, self._beats = self._beats, self._beats + 1
        slow = number % 2 == 1 and number // 2 in self._bad
        return (2.0 if slow else 1.0, 0)


def test_rounds_take_turns_and_give_the_ratio():
    clock = Clock()
    timers = {
        "brio": clock.timer("brio", 0.1),
        "numpy": clock.timer("numpy", 0.3),
        "ne": clock.timer("ne", 0.1),
    }
    samples = rounds.measure(timers, budget=1)
    assert samples.rounds == rounds.MIN_ROUNDS
    assert samples.ratios("numpy") == pytest.approx([3.0] * samples.rounds)
    turns = clock.turns[-9:]
    assert {turns[0], turns[3], turns[6]} == {"brio", "numpy", "ne"}
    assert all(sorted(turns[i : i + 3]) == ["brio", "ne", "numpy"] for i in (0, 3, 6))


def test_short_calls_are_looped():
    loops, seconds = rounds.loops_for(Clock().timer("x", 1e-7))
    assert loops * 1e-7 >= rounds.SAMPLE_SECONDS
    assert seconds == pytest.approx(1e-7)


def test_a_slow_peer_gets_fewer_rounds():
    clock = Clock()
    samples = rounds.measure({"brio": clock.timer("brio", 0.1), "slow": clock.timer("slow", 5.0)}, budget=1)
    assert len(samples.ratios("slow")) == 3
    assert samples.rounds == rounds.MIN_ROUNDS


def test_rounds_out_of_pace_count_for_nobody():
    clock = Clock()
    timers = {"brio": clock.timer("brio", 0.1), "numpy": clock.timer("numpy", 0.2)}
    samples = rounds.measure(timers, 1, Guard({0, 3}))
    assert samples.dropped == 2
    assert samples.rounds == rounds.MIN_ROUNDS
    assert not samples.unstable
    assert rounds.measure(timers, 1, Guard(set(range(0, 200, 2)))).unstable
    noisy = rounds.measure(timers, 1, Guard(set(range(200))))
    assert noisy.unstable
    assert noisy.rounds > 0


def test_pace():
    assert heartbeat.same_pace((1.0, 7), (1.1, 7))
    assert not heartbeat.same_pace((1.0, 7), (1.2, 7))
    assert not heartbeat.same_pace((1.0, 7), (1.0, 8))


def test_statements_may_assign_to_their_arrays():
    names = {"a": np.zeros(3), "np": np, "double": lambda x: 2 * x}
    assert rounds.statement_timer("a *= 2", names)(3) > 0
    assert rounds.statement_timer("double(np.add(a, a))", names)(1) > 0


# -- input


def test_generated_bytes_never_change():
    digest = hashlib.sha256(gen.uniform(1000).tobytes() + gen.integers(1000).tobytes()).hexdigest()
    assert digest == "00deaddb8212533a7df5977acadbe5bb20dc2cfaf05b698f32576c2879d5d7f0"
    assert not np.array_equal(gen.uniform(10), gen.uniform(10, column=1))
    numbers = gen.uniform(1000, np.float64, -10, 10)
    assert numbers.min() >= -10 and numbers.max() < 10 and numbers.dtype == np.float64


# -- checks and records


@pytest.mark.parametrize(
    ("actual", "error"),
    [([1.0, 2.0], 0.0), ([1.0, 2.2], 0.1), ([np.nan, 2.0], np.inf), ([1.0, np.inf], np.inf)],
)
def test_largest_error(actual, error):
    assert base.largest_error(np.array([1.0, 2.0]), np.array(actual)) == pytest.approx(error)


def test_largest_error_sees_shape_dtype_and_integers():
    with pytest.raises(base.CheckFailed):
        base.largest_error(np.zeros(3), np.zeros((3, 1)))
    with pytest.raises(base.CheckFailed):
        base.largest_error(np.zeros(3, int), np.zeros(3, np.int32))
    assert base.largest_error(np.arange(3), np.array([0, 1, 3])) == np.inf
    assert base.largest_error(np.array([np.nan]), np.array([np.nan])) == 0


def _context(monkeypatch, wait=lambda value: value):
    """A context in which NumPy plays Brio's part."""
    context = runner.Context("smoke", 1, ["numpy"], quiet=True)
    context.peers["brio"] = Peer("brio", "0", {"xp": np, "wait": wait}, np.asarray)
    monkeypatch.setattr(runner, "BUDGET", {"smoke": (0.01, 0.01)})
    return context


def test_every_statement_is_right_where_numpy_plays_brio(monkeypatch):
    context = _context(monkeypatch)
    for row in ROWS:
        if hasattr(row, "run") or row.id.startswith("A2r"):
            continue
        n = row.sizes["smoke"][0]
        data = row.make(n)
        for name in ("brio", "numpy"):
            peer = context.peers[name]
            assert row.check(name, row.statements[name], row.namespace(peer, data), data)["ok"]


def test_a_row_gives_records(monkeypatch):
    records = runner.run_row(Sort("sort", np.int64, 1.0, None), _context(monkeypatch))
    assert [record["size"] for record in records] == [2**10, 2**17]
    for record in records:
        assert record["rounds"] >= 3
        assert 0 < record["ratio_lo"] <= record["ratio"] <= record["ratio_hi"]


def test_a_wrong_result_is_never_timed(monkeypatch):
    row = Chain()
    row.sizes = {"smoke": (64,)}
    context = _context(monkeypatch, wait=lambda value: value * 1.001)
    (record,) = runner.run_row(row, context)
    assert record["verdict"] == "wrong"
    assert "ratio" not in record and "t_brio" not in record


def test_a_face_without_the_function_is_absent(monkeypatch):
    row = Sort("no_such_function", np.int64, 1.0, None)
    row.sizes = {"smoke": (64,)}
    context = _context(monkeypatch)
    row.statements["numpy"] = "np.sort(x)"
    (record,) = runner.run_row(row, context)
    assert record["verdict"] == "absent"
    assert "no_such_function" in record["reason"]


def test_paired_comparison_finds_a_planted_delay(monkeypatch):
    state = {"slow": False}

    class Handle:
        def uninstall(self):
            state["slow"] = False

    def install():
        state["slow"] = True
        return Handle()

    def timer(statement, names):
        return lambda loops: loops * (1.2e-6 if state["slow"] else 1e-6)

    monkeypatch.setattr(rounds, "statement_timer", timer)
    attached, detached = micro.compare_paired("x + y", {}, install, 11)
    assert attached == pytest.approx([1.2e-6] * 11)
    assert detached == pytest.approx([1e-6] * 11)
    assert not state["slow"]


def test_harm_statements_run():
    with np.errstate(all="ignore"):
        for _, n, statement in micro._cases("smoke"):
            exec(statement, micro._names(n))


# -- report


def _record(name, verdict, **more):
    return {"id": name, "work": "w", "size": 8, "peer": "numpy", "verdict": verdict, "unit": "x", **more}


def _ratio(value):
    return {"ratio": value, "ratio_lo": value, "ratio_hi": value}


def test_worst_come_first():
    records = [
        _record("good", "pass", goal=1.0, **_ratio(2.0)),
        _record("bad", "fail", goal=1.0, **_ratio(0.9)),
        _record("worse", "fail", goal=4.0, **_ratio(2.0)),
        _record("slow", "fail", goal=40, value=100.0, value_lo=90.0, value_hi=110.0),
        _record("wrong", "wrong", reason="by 1"),
        _record("gone", "absent", reason="none"),
    ]
    assert [r["id"] for r in report.worst_first(records)] == ["wrong", "slow", "worse", "bad", "gone", "good"]


def test_report_is_written(tmp_path):
    records = [
        _record("A1", "pass", goal=1.0, **_ratio(2.0)),
        _record("harm.x", "pass", goal=0.95, **_ratio(1.0)),
    ]
    report.write(records, {"cpu": "x"}, tmp_path / "new")
    stored = json.loads((tmp_path / "new" / "report.json").read_text())
    assert [row["id"] for row in stored["rows"]] == ["A1", "harm.x"]
    assert "| pass | A1 |" in (tmp_path / "new" / "table.md").read_text()
    assert any("A1" in line for line in report.table(records))


def test_regressions_against_an_earlier_report():
    earlier = {"rows": [_record("A1", "pass", **_ratio(2.0)), _record("A2", "pass", **_ratio(2.0))]}
    now = [
        _record("A1", "pass", **_ratio(1.7)),
        _record("A2", "pass", **_ratio(1.9)),
        _record("A9", "pass", **_ratio(1.0)),
    ]
    (found,) = report.regressions(now, earlier)
    assert found.startswith("A1")
