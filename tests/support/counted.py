"""Raw metrics of a real engine, counted into a store without a metrics process."""

from pyspark.sql import SparkSession

from metrics.batch import folded
from metrics.book import SeriesBook
from metrics.jobs.aggregate import aggregate
from metrics.store.address import connect
from metrics.store.target_store import TargetStore
from tests.support.kafka_records import read_all
from tests.support.slots import SlotLab

_PARTITIONS = 4


def count_raw_metrics(lab: SlotLab, spark: SparkSession, store_url: str) -> None:
    """Take over everything the lab's flow has reported so far; once for each store."""
    raw = read_all(lab.target_bootstrap, lab.metrics_topic, _PARTITIONS)
    rows = [
        (lab.metrics_topic, number, seen.offset, seen.value) for number in range(_PARTITIONS) for seen in raw[number]
    ]
    frame = spark.createDataFrame(rows, "topic STRING, partition INT, offset BIGINT, value BINARY")
    heads, groups = aggregate(frame, lab.target.alias, {}, {})
    store = TargetStore(connect(store_url), lab.target.alias, "test")
    store.claim(0)
    store.commit(folded(heads, groups, SeriesBook()), {}, (), partition_ten_seconds=True, now_ms=0)
    store.close()
