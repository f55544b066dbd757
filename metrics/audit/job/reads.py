"""Fixed ranges of a topic as Kafka rows."""

import json
from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from metrics.audit.coverage import Span
from metrics.stream.sources import kafka_options
from replication.domain.plan.slot import ClusterClient
from replication.domain.settings.choices import IsolationLevel

_OPTIONS = {
    # What is deleted while it is read is told by the log starts, which are compared afterwards.
    "failOnDataLoss": "false",
    "includeHeaders": "true",
    "kafka.max.poll.records": "5000",
    "kafka.max.partition.fetch.bytes": str(4 * 1024 * 1024),
}
_ROWS_DDL = (
    "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, "
    "headers ARRAY<STRUCT<key: STRING, value: BINARY>>"
)


def topic_rows(
    session: SparkSession, cluster: ClusterClient, topic: str, spans: Mapping[int, Span], isolation: IsolationLevel
) -> DataFrame:
    """The records in [first, next) of each partition named; each partition is read by one task, in order."""
    wanted = {partition: span for partition, span in spans.items() if span[0] < span[1]}
    if not wanted:
        return session.createDataFrame([], _ROWS_DDL)
    options = {name: value for name, value in kafka_options(cluster).items() if name != "subscribePattern"}
    options |= _OPTIONS | {
        "kafka.isolation.level": isolation,
        "assign": json.dumps({topic: sorted(wanted)}),
        "startingOffsets": _offsets(topic, {partition: first for partition, (first, _) in wanted.items()}),
        "endingOffsets": _offsets(topic, {partition: following for partition, (_, following) in wanted.items()}),
        "groupIdPrefix": f"srm-audit-{cluster.alias}",
    }
    rows = session.read.format("kafka").options(**options).load()
    return rows.select("key", "value", "topic", "partition", "offset", "timestamp", "headers")


def _offsets(topic: str, offsets: Mapping[int, int]) -> str:
    return json.dumps({topic: {str(partition): offset for partition, offset in offsets.items()}})
