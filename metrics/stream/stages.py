"""Plans a batch: two stages of Arrow tasks, or one task for a small batch.

`metrics.stream.executor_tasks` has what runs in the tasks.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.udf import _create_udf
from pyspark.util import PythonEvalType

from metrics.counting.head_totals import HeadTotals
from metrics.errors import MetricsError
from metrics.stream.executor_tasks import (
    CUT_SCHEMA,
    RESULT_SCHEMA,
    BatchTask,
    ShardResult,
    fold,
    in_worker,
    validate,
    validate_and_fold,
)

MOST_SHARDS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """The results of the tasks: the heads of each raw partition, a summary of each shard."""

    heads: Sequence[HeadTotals]
    shards: Sequence[ShardResult]
    of_shards: int

    @property
    def reports(self) -> int:
        return sum(shard.reports for shard in self.shards)


def run_stages(frame: DataFrame, task: BatchTask) -> BatchResult:
    """Read the frame (`KAFKA_COLUMNS`) and fold it in one Spark job; with one label in one task, without a shuffle.

    Raises what kept a task from its work: a MetricsError as it was, everything else as Spark tells it.
    """
    shards = len(task.labels)
    if shards == 1:
        done = map_arrow(frame.coalesce(1), partial(in_worker, validate_and_fold, task), RESULT_SCHEMA)
    else:
        cuts = map_arrow(frame, partial(in_worker, validate, task), CUT_SCHEMA)
        done = map_arrow(cuts.repartition(shards, "shard"), partial(in_worker, fold, task), RESULT_SCHEMA)
    heads: list[HeadTotals] = []
    results: list[ShardResult] = []
    for (value,) in done.collect():
        found = pickle.loads(value)  # noqa: S301 - bytes of our own tasks
        if isinstance(found, MetricsError):
            raise found
        if isinstance(found, ShardResult):
            results.append(found)
        else:
            heads += found
    return BatchResult(heads=heads, shards=results, of_shards=shards)


def map_arrow(frame: DataFrame, task: Callable[[Iterable[Any]], Iterator[Any]], schema: str) -> DataFrame:
    """Call `DataFrame.mapInArrow` without pandas, which it demands and does not use."""
    function = _create_udf(task, returnType=schema, evalType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
    column = function(*(frame[name] for name in frame.columns))
    return DataFrame(frame._jdf.mapInArrow(column._jc, False, None), frame.sparkSession)


def shards_of(spark: SparkSession) -> int:
    """Return the number of tasks that can run at once, at most `MOST_SHARDS`."""
    return max(1, min(MOST_SHARDS, spark.sparkContext.defaultParallelism))
