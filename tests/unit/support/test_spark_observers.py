"""The helpers that read Spark's event log and compare stores say what there is."""

import json
import os
from pathlib import Path

from tests.benchmarks.metrics.cost import part_of
from tests.support.metrics.store_dump import first_difference
from tests.support.spark.event_log import ended_tasks, two_stages
from tests.support.spark.processes import Process, python_workers, tree


def ended(stage: int, executor: str, read: int, shuffled_in: int, shuffled_out: int, *, failed: bool = False) -> str:
    metrics = {
        "Input Metrics": {"Records Read": read},
        "Shuffle Read Metrics": {"Total Records Read": shuffled_in},
        "Shuffle Write Metrics": {"Shuffle Records Written": shuffled_out},
    }
    task = {"Executor ID": executor, "Failed": failed, "Killed": False}
    return json.dumps(
        {
            "Event": "SparkListenerTaskEnd",
            "Stage ID": stage,
            "Task Info": task,
            "Task Metrics": None if failed else metrics,
        }
    )


def test_both_stages_are_found_beside_a_checksum_and_other_events(tmp_path: Path) -> None:
    lines = [
        ended(0, "0", 80, 0, 0),
        ended(1, "0", 20, 0, 4),
        ended(1, "1", 0, 0, 0, failed=True),
        ended(2, "1", 0, 4, 0),
    ]
    folder = tmp_path / "eventlog_v2_app-1"
    folder.mkdir()
    (folder / "events_1_app-1").write_text("\n".join([json.dumps({"Event": "SparkListenerLogStart"}), *lines]))
    (folder / ".appstatus_app-1.crc").write_bytes(b"crc\x00\x00\x00\x02\x00")

    tasks = ended_tasks(tmp_path)
    stages = two_stages(tasks)

    assert [task.failed for task in tasks] == [False, False, True, False]
    assert [(task.stage, task.executor, task.input_rows) for task in stages.cuts] == [(1, "0", 20)]
    assert [(task.stage, task.executor, task.shuffled_in) for task in stages.folds] == [(2, "1", 4)]


def test_the_first_row_that_differs_is_named() -> None:
    rows = [("a", 1), ("b", 2)]

    assert first_difference(rows, list(rows)) is None
    assert first_difference([("a", 1), ("b", 3)], rows) == "('b', 3) instead of ('b', 2)"
    assert first_difference(rows[:1], rows) == "1 rows instead of 2, for example [\"('b', 2)\"]"


def process(pid: int, command: str) -> Process:
    return Process(pid=pid, parent=1, command=command, started_ticks=0, cpu_s=1.0)


def test_each_process_belongs_to_one_part_of_the_cost() -> None:
    commands = {
        "/x/.venv/bin/python -m metrics run": "driver",
        "/usr/lib/jvm/bin/java -cp python": "jvm",
        "/x/.venv/bin/python -m pyspark.daemon pyspark.worker": "workers",
        "postgres: srm postgres 127.0.0.1(4711) idle": "database",
        "/usr/lib/postgresql/15/bin/postgres -D data": "database",
    }

    assert {command: part_of(process(1, command)) for command in commands} == commands


def test_this_process_is_the_root_of_its_tree_and_has_no_workers_of_spark() -> None:
    assert os.getpid() in {each.pid for each in tree(os.getpid())}
    assert python_workers(os.getpid()) == []
