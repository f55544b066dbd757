"""The stages of a batch without Spark: one task, run in this process."""

import pickle
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from metrics.counting.head_totals import HeadTotals
from metrics.errors import MetricsError
from metrics.stream.executor_tasks import BatchTask, ShardResult, judge_and_fold
from metrics.stream.stages import BatchResult

COLUMNS = ["topic", "partition", "offset", "value"]


def raw_batch(rows: Iterable[Any]) -> pa.RecordBatch:
    """Rows as Spark hands them to a task."""
    columns: list[Any] = list(zip(*rows, strict=True)) or [[], [], [], []]
    arrays = [pa.array(column) for column in columns[:3]]
    return pa.RecordBatch.from_arrays([*arrays, pa.array(columns[3], pa.binary())], COLUMNS)


def run_in_this_process(frame: Any, task: BatchTask) -> BatchResult:
    """In place of `metrics.stream.stages.run_stages`, for a frame that has `collect` only."""
    heads: list[HeadTotals] = []
    shards: list[ShardResult] = []
    for batch in judge_and_fold(task, [raw_batch(frame.collect())]):
        for value in batch.column(0).to_pylist():
            found = pickle.loads(value)  # noqa: S301 - our own
            if isinstance(found, MetricsError):
                raise found
            if isinstance(found, ShardResult):
                shards.append(found)
            else:
                heads += found
    return BatchResult(heads=heads, shards=shards, of_shards=len(task.labels))
