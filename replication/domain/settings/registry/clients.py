"""Settings of the flow's Kafka clients that reach the engine; the rest of them belongs to clusters or has no effect."""

from typing import get_args

from replication.domain.settings.choices import IsolationLevel, LogEnd
from replication.domain.settings.registry.records import CODEC
from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import choice, duration_ms, whole

ISOLATION_LEVEL: Setting[IsolationLevel] = Setting(
    key="consumer.isolation.level",
    values=choice(*get_args(IsolationLevel)),
    default="read_uncommitted",
    role="consumer",
    effect="engine",
    change="restart",
    slot_field="isolation_level",
    doc="Whether records of aborted transactions are copied. Exactly-once flows always read committed records only.",
)
AUTO_OFFSET_RESET: Setting[LogEnd] = Setting(
    key="consumer.auto.offset.reset",
    values=choice(*get_args(LogEnd)),
    default="earliest",
    role="consumer",
    effect="engine",
    slot_field="start",
    doc="Where the flow starts unless `srm.start` says so.",
)
FETCH_MAX_BYTES: Setting[int | None] = Setting(
    key="consumer.fetch.max.bytes",
    values=whole(0),
    default=None,
    role="consumer",
    effect="engine",
    slot_field="fetch_limits",
    doc="The most bytes that one fetch asks for. The engine sizes fetches below that automatically.",
)
MAX_PARTITION_FETCH_BYTES: Setting[int | None] = Setting(
    key="consumer.max.partition.fetch.bytes",
    values=whole(0),
    default=None,
    role="consumer",
    effect="engine",
    slot_field="fetch_limits",
    doc="The most bytes that one fetch asks of a partition.",
)
FETCH_MAX_WAIT: Setting[int | None] = Setting(
    key="consumer.fetch.max.wait.ms",
    values=duration_ms(0),
    default=None,
    role="consumer",
    effect="engine",
    slot_field="fetch_limits",
    doc="How long the broker may hold a fetch back while there is nothing to send.",
)
PRODUCER_COMPRESSION = Setting(
    key="producer.compression.type",
    values=CODEC,
    default=None,
    role="producer",
    effect="engine",
    slot_field="records.compression",
    doc="The codec of copied batches. It counts only where it is written down: without it each batch keeps its codec.",
)
