"""`brio run`: output, exit code and traceback of a script are those of plain Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BRIO = Path(sys.executable).with_name("brio")
pytestmark = pytest.mark.skipif(
    not BRIO.exists(), reason="the command `brio` is not installed beside the interpreter"
)


def clean_environment(**extra):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BRIO_")}
    return environment | extra


def run(*command, text=None, **extra):
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        input=text,
        env=clean_environment(**extra),
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def same(script, *arguments, **extra):
    """Runs a script both ways; returns the plain outcome after comparing."""
    plain = run(sys.executable, script, *arguments)
    for gates in ({}, {"BRIO_GATE": "0"}):
        assert run(BRIO, "run", script, *arguments, **gates, **extra) == plain
    return plain


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "script.py"
        path.write_text(text)
        return path

    return write


def test_arguments_belong_to_the_script(script):
    path = script("import sys\nprint(sys.argv[1:], __name__, __file__, sys.path[0])\n")
    code, out, _ = same(path, "--report", "-m", "--", "x")
    assert code == 0
    assert b"['--report', '-m', '--', 'x'] __main__" in out


def test_module_code_and_stdin(tmp_path):
    assert run(BRIO, "run", "-c", "import sys; print(sys.argv)", "a") == (0, b"['-c', 'a']\n", b"")
    assert run(BRIO, "run", "-", "a", text=b"import sys; print(sys.argv)") == (0, b"['-', 'a']\n", b"")
    code, out, _ = run(BRIO, "run", "-m", "this")
    assert code == 0 and out.startswith(b"The Zen")
    code, out, _ = run(sys.executable, "-m", "brio", "-c", "import numpy as np; print(np.ones(3).sum())")
    assert (code, out) == (0, b"3.0\n")


def test_unknown_options():
    for words in (["--nonsense"], ["run", "--nonsense", "x.py"], ["run", "--results=fine", "x.py"], ["run"]):
        code, out, err = run(BRIO, *words)
        assert (code, out) == (2, b"") and err.startswith(b"brio")
    code, out, _ = run(BRIO, "--version")
    assert code == 0 and out.startswith(b"brio ")
    assert run(BRIO, "--help")[0] == 0


def test_missing_script():
    plain = run(sys.executable, "/nonexistent/script.py")
    code, out, err = run(BRIO, "run", "/nonexistent/script.py")
    assert (code, out) == plain[:2] and b"No such file" in err


def test_exit_code(script):
    assert same(script("import sys, numpy as np\nnp.ones(100000) + 1\nsys.exit(7)\n"))[0] == 7


FAILING = """
import numpy as np

def inner(x, y):
    z = np.sqrt((x - y) ** 2 + 1)
    return (z * 2 +
            z[:3])

x = np.arange(100_000.0)
print(x.sum())
inner(x, x[::-1])
"""


def test_traceback(script):
    code, _, err = same(script(FAILING))
    assert code == 1 and b"could not be broadcast" in err


WARNING = """
import numpy as np
x = np.arange(100_000.0) - 5
y = x[::-1] - 4
def f(x, y):
    a = (1 / x + np.log(x)
         * y
         - np.sqrt(y)) / 2
    b = x / y; c = np.exp(x) * 2
    return a, b, c
for _ in range(3):
    a, b, c = f(x, y)
print(np.nansum(a[np.isfinite(a)]).round(6), a[:5], c[-3:])
with np.errstate(all="ignore"):
    print((x / (x - x)).max(), np.isnan(np.log(-x - 1)).sum())
with np.errstate(divide="raise"):
    try:
        1 / x + 1
    except FloatingPointError as problem:
        print("caught", problem)
"""


def test_warnings_and_their_lines(script):
    code, out, err = same(script(WARNING), BRIO_RESULTS="exact")
    assert code == 0 and b"caught divide by zero" in out
    assert err.count(b"RuntimeWarning") >= 5


def test_warnings_as_errors(script):
    text = "import warnings; warnings.simplefilter('error')\n" + FAILING.replace("z[:3]", "np.log(x - 5)")
    code, _, err = same(script(text))
    assert code == 1 and b"RuntimeWarning" in err


UNBOUND = """
import numpy as np
x = np.arange(100_000.0)
def f(flag):
    if flag:
        y = x * 2
    return (x - 1) * y
def g():
    z = x + 1
    del z
    return (x - 1) * z
for call in (lambda: f(True)[:3], lambda: f(False), g, lambda: (x - 1) * nothing, lambda: (x / 0) * nothing):
    try:
        print(call())
    except NameError as problem:
        print(type(problem).__name__, problem)
"""


def test_unbound_names(script):
    _, out, err = same(script(UNBOUND))
    assert out.count(b"Error") == 4 and b"divide by zero" in err


STRANGERS = """
import numpy as np
x = np.arange(100_000.0)
class Stranger:
    __array_ufunc__ = None
    def __radd__(self, other): return ("radd", type(other), other[:2].tolist())
    def __rmul__(self, other): return ("rmul", type(other))
class Wrapped(np.ndarray):
    pass
class Late:
    def __array__(self, dtype=None, copy=None): return np.ones(100_000)
print((x - 1) + Stranger(), (x * 2) * Stranger())
w = x.view(Wrapped)
print(type((x - 1) * w), type((w + 1) * 2), type(np.sqrt(x + w)))
print(type((x - 1) + Late()), ((x - 1) + Late())[:3])
class Property:
    @property
    def dt(self):
        x[0] = 77
        return 2.0
p = Property()
y = (x + 1) * p.dt
print(y[:2])
def change():
    x[1] = 55
    return 1.0
print(((x + 1) * change())[:3])
original, np.sqrt = np.sqrt, lambda v: ("mine", type(v))
print(np.sqrt(x + 1))
np.sqrt = original
import operator
print(operator.add(x - 1, x)[:3], list(map(operator.sub, [x + 1], [x]))[0][:2])
m = np.ma.masked_array(x, mask=x > 5)
print(((m - 1) * 2)[:8], type((x + 1) * m))
print(sorted([(x + 1).sum(), 3.0]), bool(((x + 1) * 2).any()))
"""


def test_strangers(script):
    _, out, _ = same(script(STRANGERS))
    assert b"brio" not in out


INPLACE = """
import numpy as np
x = np.arange(100_000.0); y = x[::-1].copy(); i = np.arange(100_000)
a = x; a += y * 2; print(x[:3], a is x)
x *= np.sqrt(y + 1); print(x[:3])
x[1:] += x[:-1] * 2; print(x[:5])
x[:] = x * 2 + 1; print(x[:3])
i += i > 5; print(i[:9])
i //= 2; i **= 2; i %= 7; print(i[:9])
f = x.astype("f4"); f -= y; print(f[:3], f.dtype)
f += y * 2.0; print(f[:3], f.dtype)
try:
    i += x * 2
except TypeError as problem:
    print(problem)
v = x[::2]; v /= 3; print(x[:4])
np.add(x, y, out=x); np.maximum(x, y, out=y); print(x[:3], y[:3])
r = x.copy(); r.setflags(write=False)
try:
    r += 1
except ValueError as problem:
    print(problem)
x /= y - y; print(x[:3])
t = np.zeros((300, 400)); t.T[...] += np.arange(300.0) * 2; t += np.arange(400) / 3; print(t[2, :3])
"""


def test_in_place(script):
    same(script(INPLACE))


IDENTITY = """
import pickle, sys, inspect
from numpy import sqrt
import numpy as np
x = np.arange(100_000.0)
print(sqrt is np.sqrt, pickle.loads(pickle.dumps(np.sqrt)) is np.sqrt, repr(np.sum)[:13], repr(np.add))
y = (x + 1) * 2
print(type(y) is np.ndarray, y.flags.owndata, y.base, sys.getrefcount(y), type(y.sum()))
print(pickle.loads(pickle.dumps(y))[:3], y.__class__, isinstance(y, np.ndarray))
print(inspect.signature(np.sum), np.ndarray.__add__, np.ndarray.sum)
print([n for n in dir(np) if "brio" in n], np.ndarray.__add__(x, 1)[:2])
print(sys.getrefcount(x))
for _ in range(50):
    z = np.sqrt((x - y) ** 2 + 1)
print(sys.getrefcount(x), sys.getrefcount(y), sys.getrefcount(np.float64))
"""


def test_identity_and_counts(script):
    same(script(IDENTITY))


THREADS = """
import threading, numpy as np
x = np.arange(50_000.0); out = [None] * 8
def work(n):
    for k in range(30):
        out[n] = np.sqrt((x - n) ** 2 + k).sum() + ((x * k) - n).max()
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
print([round(v, 3) for v in out])
"""


def test_threads(script):
    same(script(THREADS))


FORK = """
import os, numpy as np
x = np.arange(200_000.0)
print(np.sqrt(x * 2 + 1).sum().round(3), flush=True)
for n in range(4):
    child = os.fork()
    if child == 0:
        print(np.sqrt(x * 2 + n).sum().round(3), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
import multiprocessing
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print([round(v, 3) for v in pool.map(np.sum, [x * 2, x + 1, x - 1])])
"""


def test_fork(script):
    same(script(FORK))


def test_report(script):
    path = script("import numpy as np\nx = np.arange(100_000.0)\nprint(((x - 1) * 2 + x)[:2])\n")
    code, out, err = run(BRIO, "run", "--report", path)
    lines = err.decode().splitlines()
    assert (code, out) == (0, b"[-2.  1.]\n") and len(lines) == 3
    assert "3 of them fused" in lines[0]


def test_verify(script):
    path = script(
        "import numpy as np\nx = np.arange(100_000.0)\nprint(np.sqrt((x - 1) ** 2 + np.sin(x))[:2].shape)\n"
    )
    code, out, err = run(BRIO, "run", "--verify", path, BRIO_GATE="0")
    assert (code, out) == (0, b"(2,)\n")
    assert b"differ" not in err


def test_children(script):
    path = script(
        "import os, subprocess, sys\n"
        "print(os.environ.get('BRIO_ACCELERATE'))\n"
        "print(subprocess.run([sys.executable, '-c', 'import os; print(os.environ.get(\"BRIO_ACCELERATE\"))'],"
        " capture_output=True, text=True).stdout)\n"
    )
    assert run(BRIO, "run", path)[1].split() == [b"1", b"1"]
    assert run(BRIO, "run", "--no-children", path)[1].split() == [b"None", b"None"]


def test_numpy_is_not_imported_for_others(script):
    path = script("import sys\nprint([n for n in sys.modules if n.split('.')[0] in ('numpy', 'brio')])\n")
    code, out, _ = run(BRIO, "run", path)
    assert code == 0 and b"numpy" not in out


def test_import_error_looks_the_same(script, tmp_path):
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text("raise RuntimeError('broken')\n")
    code, _, err = same(script("import numpy\n"))
    assert code == 1 and b"broken" in err
