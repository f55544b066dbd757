"""The stages of a batch without Spark, run in this process: one task, or one per raw partition and shard."""

import pickle
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from metrics.counting.head_totals import HeadTotals
from metrics.errors import MetricsError
from metrics.stream.executor_tasks import BatchTask, ShardResult, fold, validate, validate_and_fold
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
    rows = frame.collect()
    for batch in validate_and_fold(task, [raw_batch(rows)]) if len(task.labels) == 1 else _two_stages(rows, task):
        for value in batch.column(0).to_pylist():
            found = pickle.loads(value)  # noqa: S301 - our own
            if isinstance(found, MetricsError):
                raise found
            if isinstance(found, ShardResult):
                shards.append(found)
            else:
                heads += found
    return BatchResult(heads=heads, shards=shards, of_shards=len(task.labels))


def _two_stages(rows: Iterable[Any], task: BatchTask) -> Iterator[pa.RecordBatch]:
    by_raw: defaultdict[tuple[str, int], list[Any]] = defaultdict(list)
    for row in rows:
        by_raw[row[0], row[1]].append(row)
    cuts: defaultdict[int, list[bytes]] = defaultdict(list)
    for own in by_raw.values():
        for batch in validate(task, [raw_batch(own)]):
            for label, value in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                cuts[label].append(value)
    for label, values in cuts.items():
        arrays = [pa.array([label] * len(values), pa.int32()), pa.array(values, pa.binary())]
        yield from fold(task, [pa.RecordBatch.from_arrays(arrays, ["shard", "value"])])
