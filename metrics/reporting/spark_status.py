"""Reads tasks, stages and executors from Spark's status store, which also feeds its UI and its monitoring REST API.

The store works without the UI. Objects are read as JSON of the monitoring API, whose fields are documented.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from threading import Lock
from typing import Any

import structlog
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from metrics.reporting.executor_health import ExecutorHistory, ExecutorSummary
from metrics.reporting.query_minute import TaskTime

log = structlog.get_logger()

_ENDED = ("SUCCEEDED", "FAILED")


class SparkStatus:
    """The state of one Spark application; shared by the threads of its queries."""

    def __init__(self, spark: SparkSession) -> None:
        gateway = spark.sparkContext._gateway
        if gateway is None:
            raise RuntimeError("Spark has been stopped")
        context = spark.sparkContext._jsc.sc()
        self._tracker = context.statusTracker()
        self._store = context.statusStore()
        self._mapper = gateway.jvm.org.apache.spark.status.api.v1.JacksonMessageWriter().mapper()
        self._executors = ExecutorHistory()
        self._lock = Lock()

    def executor_warning(self, now_ms: int) -> str:
        """Return what is wrong with executors now; empty if nothing is, or if Spark does not say."""
        try:
            executors = [_executor(each) for each in self._read(self._store.executorList(False))]
        except (Py4JError, OSError) as error:
            log.debug("executors not read", error=str(error))
            return ""
        with self._lock:
            return self._executors.warning(executors, now_ms)

    def task_time(self, run_id: str, after_job: int) -> tuple[TaskTime | None, int]:
        """Sum up the jobs of a query's run that ended after this one; with the number of the last job that ended."""
        total, last = TaskTime(), after_job
        try:
            for number in sorted(self._read(self._tracker.getJobIdsForGroup(run_id))):
                if number > after_job:
                    job = self._read(self._store.job(number))
                    if job["status"] not in _ENDED:
                        break
                    for stage in job["stageIds"]:
                        total += _stage_time(self._read(self._store.lastStageAttempt(stage)))
                    last = number
        except (Py4JError, OSError) as error:
            log.debug("tasks not read", error=str(error))
            return None, last
        return total, last

    def _read(self, found: object) -> Any:  # Any: JSON
        return json.loads(self._mapper.writeValueAsString(found))


def _executor(summary: Mapping[str, Any]) -> ExecutorSummary:
    removed = summary.get("removeTime")
    return ExecutorSummary(
        id=summary["id"],
        host=summary["hostPort"].rpartition(":")[0] or summary["hostPort"],
        completed_tasks=summary["completedTasks"],
        failed_tasks=summary["failedTasks"],
        task_ms=summary["totalDuration"],
        is_excluded=summary["isExcluded"],
        removed_ms=None if removed is None else _time_ms(removed),
        removal=summary.get("removeReason") or "",
    )


def _stage_time(stage: Mapping[str, Any]) -> TaskTime:
    launched, completed = stage.get("firstTaskLaunchedTime"), stage.get("completionTime")
    busy_ms = _time_ms(completed) - _time_ms(launched) if launched and completed else 0
    return TaskTime(executor_ms=stage["executorRunTime"], busy_ms=max(0, busy_ms))


def _time_ms(text: str) -> int:
    """The API writes times as 2026-11-22T23:49:27.490GMT."""
    found = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%Z").replace(tzinfo=UTC)
    return int(found.timestamp() * 1000)
