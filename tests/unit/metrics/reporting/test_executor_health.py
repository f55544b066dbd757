"""Warnings name the executors that need attention, and no others."""

from typing import Any

from metrics.reporting.executor_health import WINDOW_MS, ExecutorHistory, ExecutorSummary, executor_warning

NOW_MS = 1_790_000_000_000


def executor(name: str, tasks: int = 100, mean_ms: int = 200, **changes: Any) -> ExecutorSummary:
    values = {"completed_tasks": tasks, "task_ms": tasks * mean_ms, **changes}
    return ExecutorSummary(id=name, host=f"10.0.0.{name}", **values)


def test_equal_executors_need_no_warning() -> None:
    assert executor_warning([executor("1"), executor("2", mean_ms=300)], [], NOW_MS) == ""


def test_an_executor_with_failed_tasks_is_named_with_their_number_and_the_remedy() -> None:
    warning = executor_warning([executor("1"), executor("3", failed_tasks=5)], [], NOW_MS)

    assert warning == (
        "Executor 3 on host 10.0.0.3: 5 failed tasks in the last 10 minutes. "
        "Read its stderr log on that host for the reason."
    )


def test_the_executor_with_most_failed_tasks_is_named_first() -> None:
    warning = executor_warning([executor("1", failed_tasks=3), executor("2", failed_tasks=9)], [], NOW_MS)

    assert warning.index("Executor 2") < warning.index("Executor 1")


def test_failures_before_the_window_and_single_failures_do_not_count() -> None:
    before = [executor("1", failed_tasks=50)]

    assert executor_warning([executor("1", failed_tasks=52)], before, NOW_MS) == ""
    assert "3 failed tasks" in executor_warning([executor("1", failed_tasks=53)], before, NOW_MS)


def test_of_two_executors_the_slow_one_is_named() -> None:
    warning = executor_warning([executor("1"), executor("2", mean_ms=1_000)], [], NOW_MS)

    assert warning.startswith("Executor 2 on host 10.0.0.2: its tasks take 5 times the median.")
    assert "Executor 1" not in warning


def test_only_the_tasks_of_the_window_make_an_executor_slow() -> None:
    before = [executor("1", tasks=1_000), executor("2", tasks=1_000, mean_ms=5_000)]
    now = [executor("1", tasks=1_100), executor("2", completed_tasks=1_100, task_ms=5_000_000 + 100 * 200)]

    assert executor_warning(now, before, NOW_MS) == ""


def test_few_or_short_tasks_do_not_make_an_executor_slow() -> None:
    assert executor_warning([executor("1"), executor("2", tasks=9, mean_ms=9_000)], [], NOW_MS) == ""
    assert executor_warning([executor("1", mean_ms=20), executor("2", mean_ms=200)], [], NOW_MS) == ""


def test_one_executor_alone_is_never_slow() -> None:
    assert executor_warning([executor("1", mean_ms=60_000)], [], NOW_MS) == ""


def test_a_lost_executor_is_named_with_sparks_reason_for_ten_minutes() -> None:
    lost = executor("2", removed_ms=NOW_MS - 1_000, removal="Command exited with\ncode 137", failed_tasks=9)

    warning = executor_warning([executor("1"), lost], [], NOW_MS)
    assert warning.startswith("Spark lost executor 2 on host 10.0.0.2: Command exited with code 137.")
    assert "9 failed" not in warning
    assert executor_warning([executor("1"), lost], [], NOW_MS + WINDOW_MS) == ""


def test_an_executor_that_spark_gave_back_is_not_lost() -> None:
    removals = ("Executor killed by driver.", "Executor decommission finished", "idle timeout")
    executors = [executor("2", removed_ms=NOW_MS, removal=removal) for removal in removals]

    assert executor_warning(executors, [], NOW_MS) == ""


def test_an_excluded_executor_is_named() -> None:
    assert "Spark excludes executor 2 on host 10.0.0.2" in executor_warning(
        [executor("1"), executor("2", is_excluded=True)], [], NOW_MS
    )


def test_in_local_mode_the_process_is_named() -> None:
    warning = executor_warning([ExecutorSummary(id="driver", host="localhost", failed_tasks=4)], [], NOW_MS)

    assert warning == (
        "The metrics process itself: 4 failed tasks in the last 10 minutes. Read its log for the reason."
    )


def test_a_history_forgets_failures_after_ten_minutes() -> None:
    history = ExecutorHistory()
    failing = [executor("1", failed_tasks=5)]
    assert history.warning([executor("1")], NOW_MS) == ""

    found = [history.warning(failing, NOW_MS + after_ms) for after_ms in range(60_000, WINDOW_MS + 180_000, 60_000)]

    assert "5 failed tasks" in found[0]
    assert "5 failed tasks" in found[8]
    assert found[-1] == ""
