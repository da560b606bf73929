"""The counting of `make test`: no failure may be lost on the way to the last line."""

import shutil
import subprocess
import sys

import pytest
from tree import ROOT

sys.path.insert(0, str(ROOT / "tools"))

from testing.commands import run
from testing.ctests import count_program
from testing.outcome import Outcome
from testing.pytests import run_pytest


def record(result: str, text: str, status: int = 0) -> dict:
    return {"name": "c - conbrio:thing", "result": result, "stdout": text, "stderr": "", "returncode": status}


GOOD = "[ RUN      ] first\n[       OK ] first\n[ RUN      ] second\n[       OK ] second\n"
BAD = "[ RUN      ] third\n[  FAILED  ] third\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] third\n"
SKIPPED = "[ RUN      ] fourth\nfourth: skipped: no AVX-512\n[  SKIPPED ] fourth\n"


@pytest.mark.parametrize(
    ("line", "passed", "failures", "skips"),
    [
        (record("OK", GOOD), 2, [], []),
        (record("FAIL", GOOD + BAD, 1), 2, ["thing: third"], []),
        (record("OK", GOOD + SKIPPED), 2, [], ["thing: fourth: no AVX-512"]),
        (record("FAIL", GOOD, 1), 2, ["thing: fail, exit status 1"], []),
        (record("FAIL", "[ RUN      ] first\n", -11), 0, ["thing: fail, exit status -11"], []),
        (record("TIMEOUT", ""), 0, ["thing: timeout, exit status 0"], []),
        (record("OK", ""), 1, [], []),
        (record("SKIP", "no device\n", 77), 0, [], ["thing: no device"]),
    ],
)
def test_a_c_program_is_counted(line, passed, failures, skips):
    outcome = Outcome()
    count_program(line, outcome)
    assert (outcome.passed, outcome.failures, outcome.skips) == (passed, failures, skips)


def test_python_tests_are_counted(tmp_path):
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        "def test_good(): pass\n"
        "def test_bad(): assert False\n"
        "@pytest.mark.skip(reason='no such thing')\ndef test_skipped(): pass\n"
        "@pytest.fixture\ndef broken(): raise OSError\n"
        "def test_error(broken): pass\n"
    )
    outcome = run_pytest(sys.executable, [tmp_path], tmp_path / "some.log")
    assert outcome.passed == 1
    assert outcome.failures == ["test_some::test_bad", "test_some::test_error"]
    assert outcome.skips == ["test_some: no such thing"]


def test_tests_that_cannot_be_read_are_a_failure(tmp_path):
    (tmp_path / "test_broken.py").write_text("import nothing_of_that_name\n")
    outcome = run_pytest(sys.executable, [tmp_path], tmp_path / "broken.log")
    assert outcome.passed == 0
    assert outcome.failed == 1


def test_an_interpreter_that_dies_is_a_failure(tmp_path):
    (tmp_path / "test_fatal.py").write_text(
        "import os\ndef test_good(): pass\ndef test_fatal(): os._exit(0)\n"
    )
    outcome = run_pytest(sys.executable, [tmp_path], tmp_path / "fatal.log")
    assert outcome.failed == 1


def test_what_runs_too_long_is_stopped(tmp_path):
    assert (
        run([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path / "long.log", timeout=0.2) == 124
    )


def test_the_last_line():
    total = Outcome(2) + Outcome(3, skips=["a: b", "a: b"])
    assert total.summary() == "5 passed, 0 failed, 2 skipped"
    assert total.skip_lines() == ["a: b (2 tests)"]
    assert (total + Outcome(0, ["x"])).summary() == "5 passed, 1 failed, 2 skipped"


def test_an_unknown_suite_is_refused():
    command = [sys.executable, "tools/run_tests.py", "--only", "nothing"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True).returncode == 2


def test_slow_tests_are_drawn(tmp_path):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_many.py").write_text(
        "import pytest\n"
        "@pytest.mark.slow\n@pytest.mark.parametrize('n', range(100))\ndef test_slow(n): pass\n"
        "def test_quick(): pass\n"
    )

    def passed(*arguments):
        arguments = ["--rootdir", tmp_path, "-o", "markers=slow", *arguments]
        return run_pytest(sys.executable, [tmp_path], tmp_path / "many.log", arguments=arguments).passed

    assert passed() == 1
    assert passed("--slow=1") == 101
    assert 1 < passed("--slow=0.2", "--seed=1") < 60
