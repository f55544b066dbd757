"""Spark's status store tells the time of a query's tasks, and of which executor tasks failed."""

import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from metrics.reporting.query_minute import BatchProgress, TaskTime
from metrics.reporting.query_report import ended_batches
from metrics.reporting.spark_status import SparkStatus
from metrics.stream.stages import map_arrow
from tests.support.eventually import eventually

pytestmark = pytest.mark.spark

SLEEP_S = 0.2


def slow(batches: Iterable[Any]) -> Iterator[Any]:
    time.sleep(SLEEP_S)
    yield from batches


def failing(batches: Iterable[Any]) -> Iterator[Any]:
    raise ValueError("on purpose")
    yield from batches


def test_the_batches_and_task_times_of_a_query_are_those_of_its_jobs(spark: SparkSession, tmp_path: Path) -> None:
    status = SparkStatus(spark)

    def count(frame: DataFrame, _number: int) -> None:
        map_arrow(frame.coalesce(1).select("value"), slow, "value LONG").collect()

    stream = spark.readStream.format("rate").option("rowsPerSecond", 100).load()
    query = stream.writeStream.foreachBatch(count).option("checkpointLocation", str(tmp_path)).start()
    found: list[BatchProgress] = []
    total, last_job = TaskTime(), -1

    def has_ended_batches() -> bool:
        nonlocal total, last_job
        found.extend(ended_batches(query, found[-1].number if found else -1))
        more, last_job = status.task_time(str(query.runId), last_job)
        assert more is not None
        total += more
        return len(found) >= 3 and last_job >= 0

    try:
        eventually(has_ended_batches, 60, "three batches have ended")
    finally:
        query.stop()
    more, _ = status.task_time(str(query.runId), last_job)
    assert more is not None
    total += more

    numbers = [batch.number for batch in found]
    assert numbers == sorted(set(numbers))
    assert all(batch.raw_records > 0 for batch in found)
    slept_ms = int(SLEEP_S * 1000) * len(found)
    assert total.executor_ms >= slept_ms
    assert total.busy_ms >= slept_ms
    assert all(batch.duration_ms >= SLEEP_S * 1000 for batch in found)
    assert status.task_time("another run", -1) == (TaskTime(), -1)


def test_tasks_that_fail_are_named_with_their_executor(spark: SparkSession) -> None:
    status = SparkStatus(spark)
    before = status.executor_warning(0)

    for _ in range(3):
        with pytest.raises(PySparkException):
            map_arrow(spark.range(1), failing, "id LONG").collect()

    eventually(lambda: status.executor_warning(1_000) != before, 30, "Spark has told of its failed tasks")
    assert re.match(
        r"The metrics process itself: \d+ failed tasks in the last 10 minutes", status.executor_warning(1_000)
    )
