"""The choices of `brio run` that say whose calls are taken over and what is checked; argsort."""

import re

import numpy as np
import pytest
from brio import accel
from brio.accel import _interpose, verify
from test_accel_run import BRIO, run

needs_command = pytest.mark.skipif(
    not BRIO.exists(), reason="the command `brio` is not installed beside the interpreter"
)

CALLER = """import numpy as np
import helper
x = np.arange(300_000) * 3 % 1_000_003
np.add.reduce(x), helper.total(x)
"""


def counted(*command, **extra):
    """(exit status, calls accelerated, operations verified, differed) of a run with --report."""
    code, _, err = run(BRIO, "run", "--report", *command, **extra)
    text = err.decode()
    done = int(re.search(r"brio: (\d+) calls accelerated", text)[1])
    verified, differed = re.search(r"(\d+) verified, (\d+) differed", text).groups()
    return code, done, int(verified), int(differed)


@pytest.fixture
def scripts(tmp_path):
    """A script, and a package in a folder that Python takes for site-packages."""
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "helper.py").write_text("import numpy as np\ndef total(x): return np.add.reduce(x)\n")
    path = tmp_path / "script.py"
    path.write_text(CALLER)
    return path, {"PYTHONPATH": str(library)}


@needs_command
@pytest.mark.parametrize(
    ("options", "calls"),
    [
        ([], 2),
        (["--scope=user"], 1),
        (["--scope=user", "--include=helper"], 2),
        (["--exclude=helper"], 1),
        (["--exclude", "other, helper,script"], 0),
        (["--exclude=numpy"], 2),
    ],
)
def test_whose_calls(scripts, options, calls):
    path, environment = scripts
    assert counted(*options, path, **environment) == (0, calls, 0, 0)


def test_package_of_a_file(tmp_path, monkeypatch):
    from brio.accel import lookahead

    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    monkeypatch.setenv("BRIO_EXCLUDE", "outer,statistics")
    assert lookahead.origin(str(inner / "module.py")) == lookahead.EXCLUDED
    assert lookahead.origin(str(tmp_path / "module.py")) == lookahead.USER
    assert lookahead.origin(next(iter(lookahead._STDLIB)) + "statistics.py") == lookahead.EXCLUDED
    assert lookahead.origin(next(iter(lookahead._STDLIB)) + "random.py") == lookahead.LIBRARY
    assert lookahead.origin("<stdin>") == lookahead.USER


@needs_command
@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("x + 1j", "unsupported_dtype"),
        ("np.add(x, 1, where=x > 2)", "unsupported_argument"),
        ("np.add.reduce(x, initial=1.0)", "unsupported_argument"),
        ("x.sort(order=())", "unsupported_argument"),
        ("np.argsort(x * 0)", "ties"),
        ("x[:10] + 1j, x * 2, x.sum(), x.argsort()", None),
    ],
)
def test_strict(tmp_path, statement, reason):
    path = tmp_path / "script.py"
    path.write_text(f"import numpy as np\nx = np.arange(100_000.0)\n{statement}\nprint('end')\n")
    code, out, err = run(BRIO, "run", "--strict", path, BRIO_GATE="0" if reason else "")
    if reason is None:
        assert (code, out, err) == (0, b"end\n", b"")
    else:
        assert code == 1 and err.strip().endswith(f"left to NumPy: {reason}".encode())


CHECKED = """import numpy as np
rng = np.random.default_rng(0)
x = rng.standard_normal(2_000)
f = x.astype(np.float32)
i = rng.permutation(2_000)
x.sum(), f.sum(), f.mean(), x.max(), i.sum(), x.reshape(40, 50).sum(axis=0)
(x * 2 - f).sum(), (f + 1).mean(), ((x > 0) & (x < 1)).any()
np.sort(i), np.sort(x), x.argsort(), i.argsort(kind="stable"), x.argmax(), i.argmin()
y = x + 1
y += x
y *= 2.0
y[::-1] -= y
np.sqrt(np.abs(x), out=y)
i += i * 2 + 1
i[1:] += i[:-1]
print(float(y[3]), i[:9])
"""


@needs_command
def test_everything_is_verified(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(CHECKED)
    for results in ("exact", "close"):
        code, done, verified, differed = counted("--verify", f"--results={results}", path, BRIO_GATE="0")
        assert (code, differed) == (0, 0)
        assert verified >= 24 and done >= verified


@needs_command
@pytest.mark.parametrize(
    "statement",
    [
        "x + 1",
        "x += 1",
        "np.add(x, 1, out=x)",
        "x.sum()",
        "(x + 1).sum()",
        "x.sort()",
        "x.argsort()",
        "x.argmax()",
    ],
)
def test_a_difference_ends_in_status_3(tmp_path, statement):
    path = tmp_path / "script.py"
    path.write_text(
        "import numpy as np\nimport brio.accel.verify as verify\n"
        "verify._difference = lambda *words: 'made up'\n"
        f"x = np.arange(1000.0)\n{statement}\nprint('end')\n"
    )
    code, out, err = run(BRIO, "run", "--verify", path, BRIO_GATE="0")
    assert (code, out) == (3, b"end\n")
    assert b"script.py:5: made up" in err


def test_differences():
    x = np.linspace(-1, 1, 1000)
    assert not verify.differs(x.sum(), x.sum() + 1e-13, 0, x)
    assert verify.differs(x.sum(), x.sum() + 1e-3, 0, x)
    assert verify.differs(x.sum(), x.sum() + 1e-13, 1, x)
    assert verify.differs(np.int64(3), np.int64(4), 0, np.arange(3))
    assert verify.differs(np.float32(3), np.float64(3), 0)


# ---- argsort ---------------------------------------------------------------------------------------------


@pytest.fixture
def sorts():
    """Interposed, with sorts of every size; counts those that were made."""
    before = _interpose.settings()
    accel.attach()
    _interpose.configure(min_count=1, sort_count=1)
    _interpose.reset_counters()
    yield lambda: _interpose.counters()["sorts"]
    accel.detach()
    _interpose.configure(**before)


def original(function, *arguments, **words):
    with accel.original():
        return function(*arguments, **words)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u1"])
@pytest.mark.parametrize("words", [{"kind": "stable"}, {"stable": True}, {"kind": "mergesort"}])
def test_stable_argsort(sorts, dtype, words):
    values = np.random.default_rng(3).integers(-60, 60, 5000).astype(dtype)
    if dtype[0] == "f":
        values[::7], values[1::7], values[2::7] = np.nan, -0.0, 0.0
    for array in (values, values.reshape(50, 100), values[:2], values[:1], values[:0]):
        ours = array.argsort(**words)
        theirs = original(array.argsort, **words)
        assert ours.dtype == theirs.dtype and ours.flags.owndata and np.array_equal(ours, theirs)
    assert sorts() == 3


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u2"])
def test_argsort_without_ties(sorts, dtype):
    values = np.random.default_rng(4).permutation(5000).astype(dtype)
    assert np.array_equal(np.argsort(values), original(np.argsort, values))
    assert np.array_equal(values.argsort(kind="heapsort"), original(np.argsort, values))
    assert sorts() == 2
    if dtype[0] == "f":
        values[7] = np.nan
        assert np.array_equal(np.argsort(values), original(np.argsort, values)) and sorts() == 3


@pytest.mark.parametrize(("first", "second"), [(3.0, 3.0), (0.0, -0.0), (np.nan, -np.nan)])
def test_argsort_with_ties_is_left_and_its_caller_closed(sorts, first, second):
    values = np.random.default_rng(4).permutation(5000) + 10.0
    values[13], values[4998] = first, second  # neither is in the sample
    sort = eval("lambda values: np.argsort(values)")  # a caller of its own for each test
    for _ in range(3):
        assert np.array_equal(sort(values), original(np.argsort, values))
    assert sorts() == 1 and _interpose.counters()["declined"]["ties"] == 3
    values[:] = 5
    sort(values)
    assert sorts() == 1


def test_sorts_of_floats_are_exact_where_there_is_one_order(sorts):
    _interpose.configure(exact=1)
    values = np.random.default_rng(5).permutation(3000) - 1000.5
    for expected, more in ((1, []), (2, [-0.0]), (3, [0.0, 0.0]), (3, [0.0, -0.0]), (3, [np.nan])):
        for dtype in (np.float64, np.float32):
            array = np.concatenate([values, more]).astype(dtype)
            ours = np.sort(array, kind="stable")
            assert ours.tobytes() == original(np.sort, array, kind="stable").tobytes()
        assert sorts() == 2 * expected
