"""Batches of raw metrics as Spark reads them, without a broker.

Spark reads each batch from files: rows handed to it by Python would pass through Python once more, as records from
Kafka do not.
"""

from collections.abc import Collection, Sequence

from pyspark.sql import DataFrame, SparkSession

from metrics.stream.ledger import RawPartition
from metrics.stream.raw_topics import RawTopics
from tests.benchmarks.metrics.load import records

RawRow = tuple[str, int, int, bytearray]
_RAW_PARTITIONS = 4
_A_TASK_PER_FILE_BYTES = 1 << 30
_TOPIC = "srm-metrics.a.internal"
_COLUMNS = "topic STRING, partition INT, offset BIGINT, value BINARY"


class SteadyTopics(RawTopics):
    """Topics that stay as they are."""

    def __init__(self) -> None:
        """No cluster is asked."""

    def ids(self, topics: Collection[str]) -> dict[str, str]:
        return dict.fromkeys(topics, "00")

    def log_starts(self, partitions: Collection[RawPartition]) -> dict[RawPartition, int]:
        return {}


def raw_rows(series: int, period: int, to_ms: int, period_ms: int) -> list[RawRow]:
    """The rows of one period of all series."""
    return [
        (_TOPIC, number % _RAW_PARTITIONS, period * 10_000 + number, bytearray(value))
        for number, (_, value) in enumerate(records(series, period, to_ms, period_ms))
    ]


def frame_of(spark: SparkSession, path: str, rows: Sequence[RawRow]) -> DataFrame:
    """The rows with a file each for the raw partitions, as Spark has a task for each of them."""
    spark.conf.set("spark.sql.files.openCostInBytes", _A_TASK_PER_FILE_BYTES)
    chunk = spark.createDataFrame(rows, _COLUMNS)
    for partition in range(_RAW_PARTITIONS):
        chunk.where(f"partition = {partition}").coalesce(1).write.mode("append").parquet(path)
    return spark.read.schema(_COLUMNS).parquet(path)
