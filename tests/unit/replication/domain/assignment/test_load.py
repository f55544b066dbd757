"""Loads: a share of the CPU time, within what bytes can cost."""

from replication.domain.assignment.load import BYTES_PER_PERCENT, DEAREST, task_loads


def test_tasks_share_the_cpu_time_by_their_bytes() -> None:
    loads = task_loads({"heavy": 9 * BYTES_PER_PERCENT, "light": BYTES_PER_PERCENT}, cpu_ratio=0.5)

    assert loads == {"heavy": 45.0, "light": 5.0}


def test_bytes_count_where_little_cpu_time_was_measured() -> None:
    assert task_loads({"slot": 20 * BYTES_PER_PERCENT}, cpu_ratio=0.0) == {"slot": 20.0}


def test_the_cpu_time_of_a_process_without_traffic_is_no_load() -> None:
    assert task_loads({"idle": 0.0, "slow": 1.0}, cpu_ratio=0.9) == {"idle": 0.0, "slow": DEAREST / BYTES_PER_PERCENT}
