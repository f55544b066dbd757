"""The tasks of an application, as Spark's event log has them."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkTask:
    """A task that has ended."""

    stage: int
    executor: str
    failed: bool
    input_rows: int
    shuffled_in: int
    shuffled_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStages:
    """The tasks that read Kafka and cut records by shard, and those that fold a shard."""

    cuts: Sequence[SparkTask]
    folds: Sequence[SparkTask]


def ended_tasks(events: Path) -> list[SparkTask]:
    """The tasks of the applications that have written event logs into this folder, uncompressed."""
    return [_task(event) for event in _events(events) if event["Event"] == "SparkListenerTaskEnd"]


def two_stages(tasks: Iterable[SparkTask]) -> TwoStages:
    """The tasks of batches that were cut by shard."""
    done = [task for task in tasks if not task.failed]
    return TwoStages(
        cuts=[task for task in done if task.shuffled_out and not task.shuffled_in],
        folds=[task for task in done if task.shuffled_in],
    )


def _events(events: Path) -> list[dict[str, Any]]:
    """Hadoop's file system puts a checksum beside some files, under a name that begins with a dot."""
    files = [file for file in sorted(events.rglob("*")) if file.is_file() and not file.name.startswith(".")]
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def _task(event: dict[str, Any]) -> SparkTask:
    metrics = event.get("Task Metrics")
    return SparkTask(
        stage=event["Stage ID"],
        executor=event["Task Info"]["Executor ID"],
        failed=event["Task Info"]["Failed"] or event["Task Info"]["Killed"],
        input_rows=metrics["Input Metrics"]["Records Read"] if metrics else 0,
        shuffled_in=metrics["Shuffle Read Metrics"]["Total Records Read"] if metrics else 0,
        shuffled_out=metrics["Shuffle Write Metrics"]["Shuffle Records Written"] if metrics else 0,
    )
