"""Opens the raw metrics topics of a target as a Spark stream."""

import json
from collections import defaultdict
from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from metrics.schemas import RAW_TOPIC_PATTERN
from metrics.stream.ledger import RawPartition
from replication.domain.plan.slot import ClusterClient

KAFKA_COLUMNS = ("topic", "partition", "offset", "value")  # as `metrics.counting.records` takes them

# What Spark sets itself and refuses to be told.
_SPARKS_OWN = frozenset({"auto.offset.reset", "enable.auto.commit", "interceptor.classes", "bootstrap.servers"})

_FIXED_OPTIONS = {
    "subscribePattern": RAW_TOPIC_PATTERN,
    # True does not protect either: a re-created topic goes unnoticed. The ledger's topic ids do.
    "failOnDataLoss": "false",
    "kafka.isolation.level": "read_committed",
    "kafka.metadata.max.age.ms": "3000",
    "kafka.request.timeout.ms": "10000",
    "kafka.default.api.timeout.ms": "15000",
    "fetchOffset.numRetries": "3",
    "kafkaConsumer.pollTimeoutMs": "20000",
}


def raw_stream(
    spark: SparkSession, cluster: ClusterClient, starts: Mapping[RawPartition, int], max_offsets: int
) -> DataFrame:
    """Return the records from these offsets on; topics and partitions that appear later are read from their start.

    `starts` must name every partition that exists, else Spark refuses to start.
    """
    options = kafka_options(cluster) | {
        "startingOffsets": starting_offsets(starts),
        "maxOffsetsPerTrigger": str(max_offsets),
        "groupIdPrefix": f"srm-metrics-{cluster.alias}",
    }
    return spark.readStream.format("kafka").options(**options).load().select(*KAFKA_COLUMNS)


def kafka_options(cluster: ClusterClient) -> dict[str, str]:
    """Return the cluster's client settings as options of Spark's Kafka source."""
    own = {
        f"kafka.{key}": value
        for key, value in cluster.client.items()
        if key not in _SPARKS_OWN and not key.endswith((".serializer", ".deserializer"))
    }
    return own | _FIXED_OPTIONS | {"kafka.bootstrap.servers": ",".join(cluster.bootstrap)}


def starting_offsets(starts: Mapping[RawPartition, int]) -> str:
    """Return offsets by topic and partition in Spark's JSON."""
    by_topic: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (topic, partition), offset in starts.items():
        by_topic[topic][str(partition)] = offset
    return json.dumps(by_topic)
