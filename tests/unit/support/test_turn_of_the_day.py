"""Each long test has its turn, and a day's turn ends in time."""

import subprocess
import sys
from pathlib import Path

from tests.support.turn_of_the_day import turn

FILES = ["a", "a", "a", "b", "c", "c"]
REPOSITORY = Path(__file__).resolve().parents[3]


def test_a_day_runs_all_tests_of_one_file_and_the_next_day_those_of_the_next() -> None:
    assert [sorted(turn(FILES, day)) for day in range(4)] == [[0, 1, 2], [3], [4, 5], [0, 1, 2]]


def test_each_round_begins_with_another_test_until_all_were_first() -> None:
    assert [turn(FILES, day) for day in (0, 3, 6, 9)] == [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]


def test_where_there_are_no_tests_there_is_no_turn() -> None:
    assert turn([], 5) == []


def run_day(folder: Path, day: int, budget_s: float) -> str:
    """Return the output of a separate pytest run, one line per test."""
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:django", "-p", "no:cacheprovider", "-c", "/dev/null"]
    command += ["--rootdir", str(folder), "-p", "tests.support.turn_of_the_day", "--turn-day", str(day)]
    command += ["--turn-budget-s", str(budget_s), str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_after_the_budget_no_further_test_begins_but_the_first_one_always_does(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text("def test_other(): pass\n")
    (tmp_path / "test_some.py").write_text("def test_one(): pass\n\n\ndef test_two(): pass\n")

    in_time, late = run_day(tmp_path, 3, 60), run_day(tmp_path, 3, -1)

    assert in_time.index("test_two PASSED") < in_time.index("test_one PASSED")
    assert "test_other PASSED" not in in_time
    assert "test_two PASSED" in late
    assert "test_one SKIPPED" in late
