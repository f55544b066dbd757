"""Raw records through Spark: a frame of Kafka rows comes to what its rows come to."""

from collections.abc import Sequence

import pytest
from pyspark.sql import DataFrame, SparkSession

from metrics.jobs.aggregate import aggregate
from metrics.transforms.group_rows import SeqKey, Span
from tests.support.raw_metrics import RawTask, Record, encode

pytestmark = pytest.mark.spark

TOPIC = "srm-metrics.a.internal"


def kafka_rows(spark: SparkSession, values: Sequence[Record | bytes | None], partitions: int = 1) -> DataFrame:
    """Dealt out to the raw partitions in turn."""
    rows = [
        (TOPIC, index % partitions, index // partitions, encode(value) if isinstance(value, dict) else value)
        for index, value in enumerate(values)
    ]
    return spark.createDataFrame(rows, "topic STRING, partition INT, offset BIGINT, value BINARY")


def test_records_are_counted_in_raw_order_however_spark_deals_them_out(spark: SparkSession) -> None:
    task = RawTask()
    frame = kafka_rows(spark, [task.report() for _ in range(4)], 2).repartition(3).orderBy("value")

    heads, groups = aggregate(frame, "b", {}, {})

    assert [(head.partition, head.first_offset, head.last_offset, head.seq) for head in heads] == [
        (0, 0, 1, 3),
        (1, 0, 1, 4),
    ]
    assert sorted(span for group in groups for span in group.spans) == [
        *(Span(0, 1, 0, 10), Span(0, 1, 10, 20), Span(1, 1, 20, 30), Span(1, 1, 30, 40)),
    ]


def test_rows_below_the_ledger_and_seqs_of_before_count_nothing(spark: SparkSession) -> None:
    task = RawTask()
    frame = kafka_rows(spark, [task.report(), task.report(), task.report(records=7)])

    heads, groups = aggregate(frame, "b", {(TOPIC, 0): 1}, {SeqKey(task.task, "boot-1", 0): 2})

    assert [(head.first_offset, head.last_offset) for head in heads] == [(1, 2)]
    assert sum(group.sums.records for group in groups) == 7


def test_tombstones_and_bytes_that_are_no_text_are_bad_records(spark: SparkSession) -> None:
    heads, groups = aggregate(kafka_rows(spark, [None, b"\xff\xfe\x00", RawTask().report()]), "b", {}, {})

    assert sum(head.bad for head in heads) == 2
    assert len(groups) == 1
