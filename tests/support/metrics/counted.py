"""Raw metrics of a real engine, counted into a store without a metrics process."""

from collections.abc import Collection

from pyspark.sql import SparkSession

from metrics.store.address import connect
from metrics.store.target_store import TargetStore
from metrics.stream.aggregate import AggregateBatch, StoreSettings
from metrics.stream.raw_topics import RawTopics
from tests.support.engine.slots import SlotLab
from tests.support.kafka.kafka_records import read_all

_PARTITIONS = 4


def count_raw_metrics(lab: SlotLab, spark: SparkSession, store_url: str) -> None:
    """Take over everything the lab's flow has reported so far; once for each store."""
    raw = read_all(lab.target_bootstrap, lab.metrics_topic, _PARTITIONS)
    rows = [
        (lab.metrics_topic, number, seen.offset, seen.value) for number in range(_PARTITIONS) for seen in raw[number]
    ]
    frame = spark.createDataFrame(rows, "topic STRING, partition INT, offset BIGINT, value BINARY")
    store = TargetStore(connect(store_url), lab.target.alias, "test")
    store.claim(0)
    AggregateBatch(store, StoreSettings(url=store_url), _KnownTopics(), lab.target.alias, {}, lambda: 0)(frame, 0)
    store.close()


class _KnownTopics(RawTopics):
    """Topics that stay as they are."""

    def __init__(self) -> None:
        """No cluster is asked."""

    def ids(self, topics: Collection[str]) -> dict[str, str]:
        return dict.fromkeys(topics, "00")
