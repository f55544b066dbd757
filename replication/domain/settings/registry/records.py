"""Settings of the record path: batches, records, headers, transactions, positions."""

from typing import get_args

from replication.domain.batches.compression import parse_compression
from replication.domain.batches.rebatching import RebatchingMode
from replication.domain.settings.choices import Location, LoopChoice
from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import BOOLEAN, LIST, ValueType, choice, duration_ms, number_or, whole

LONGEST_LINGER_MS = 1_000
SHORTEST_TRANSACTION_MS, LONGEST_TRANSACTION_MS = 10, 10_000  # longer would near the transaction's time-out of 60 s
CODEC = ValueType(parse=parse_compression, allowed="one of keep, none, gzip, snappy, lz4, zstd", none="keep")

COMPRESSION = Setting(
    key="srm.compression",
    values=CODEC,
    default=None,
    role="source",
    effect="engine",
    slot_field="records.compression",
    doc="The codec of copied batches; `keep` keeps each batch's own, as does no value. It beats the producer's "
    "`compression.type`.",
)
REBATCHING: Setting[RebatchingMode] = Setting(
    key="srm.rebatching",
    values=choice(*get_args(RebatchingMode)),
    default="adaptive",
    role="source",
    effect="engine",
    slot_field="records.rebatching",
    doc="Whether small batches are merged into large ones. `adaptive` merges where they are too small for the way to "
    "the target ([ADR 7](adr/0007-record-path-rebatching-loops.md)).",
)
LINGER = Setting(
    key="srm.linger.ms",
    values=number_or("adaptive", least=0, most=LONGEST_LINGER_MS),
    default=None,
    role="source",
    effect="engine",
    slot_field="records.linger_ms",
    doc="How many milliseconds small batches wait for others to be merged with; `adaptive`, the default, decides by "
    "load.",
)
LOOP_PROTECTION: Setting[LoopChoice] = Setting(
    key="srm.loop.protection",
    values=choice(*get_args(LoopChoice)),
    default="auto",
    role="source",
    effect="engine",
    change="restart",
    slot_field="records.loop_protection",
    doc="How a flow that keeps names knows what came from its target "
    "([ADR 7](adr/0007-record-path-rebatching-loops.md)). `auto` is `producer_ids`, and the flow waits where a longer "
    "way home is possible until this or `srm.loop.origins` decides.",
)
LOOP_ORIGINS = Setting(
    key="srm.loop.origins",
    values=LIST,
    default=(),
    role="source",
    effect="engine",
    change="restart",
    slot_field="records.loop_origins",
    doc="Aliases of further clusters whose records are skipped because the target gets them directly: in a full mesh "
    "all of them. A ring needs `srm.loop.protection=headers` on every flow, a long chain without a way home "
    "`producer_ids`.",
)
SOURCE_OFFSET_HEADER = Setting(
    key="copy.source.offset.in.header.enabled",
    values=BOOLEAN,
    default=False,
    role="source",
    effect="engine",
    change="restart",
    slot_field="records.source_offset_header",
    doc="Whether each copy carries its source offset in the header `srm.source.offset`.",
)
TRANSFORMS = Setting(
    key="transforms",
    values=LIST,
    default=(),
    role="flow",
    effect="engine",
    change="restart",
    slot_field="records.transforms",
    doc="The transforms of the flow in their order; `transforms.<name>.<option>` configures each "
    "([transforms](transforms.md)).",
)
TRANSFORMS_MAX_BYTES = Setting(
    key="srm.transforms.max.bytes",
    values=whole(1_000, 256 * 1024 * 1024),
    default=1024 * 1024,
    role="source",
    effect="engine",
    change="restart",
    slot_field="records.transforms_max_bytes",
    doc="The largest key, value or header that a transform opens. A record with a larger one is subject to the flow's "
    "errors policy.",
)
MAX_UNPACKED_BYTES = Setting(
    key="srm.batch.max.unpacked.bytes",
    values=whole(4 * 1024 * 1024, 1024 * 1024 * 1024),
    default=64 * 1024 * 1024,
    role="source",
    effect="engine",
    slot_field="records.max_unpacked_bytes",
    doc="The most bytes that the records of one batch may take unpacked, where a batch must be opened: for transforms, "
    "another codec, or because the target rejects it. Batches that need not be opened are copied at any size. A larger "
    "batch keeps its codec, or stops its partition and names this setting. A data worker opens one such batch at a "
    "time. Copying it keeps all its flows waiting: 0.3 s for 64 MB, 0.9 s for 200 MB "
    "([ADR 21](adr/0021-hostile-input.md)).",
)
TRANSACTION_INTERVAL = Setting(
    key="srm.transaction.interval.ms",
    values=duration_ms(SHORTEST_TRANSACTION_MS, LONGEST_TRANSACTION_MS),
    default=200,
    role="source",
    effect="engine",
    slot_field="transaction_interval_ms",
    doc="How long a transaction of an exactly-once flow takes records before it is committed.",
)
CONNECT_TRANSACTION_INTERVAL = Setting(
    key="transaction.boundary.interval.ms",
    values=TRANSACTION_INTERVAL.values,
    default=TRANSACTION_INTERVAL.default,
    role="source",
    effect="engine",
    slot_field="transaction_interval_ms",
    doc="Kafka Connect's name of `srm.transaction.interval.ms`, which beats it.",
)
OFFSET_SYNCS = Setting(
    key="emit.offset-syncs.enabled",
    values=BOOLEAN,
    default=True,
    role="source",
    effect="engine",
    slot_field="writes_offset_syncs",
    doc="Whether MirrorMaker's offset syncs are written, which tools and consumers of MirrorMaker read.",
)
OFFSET_SYNCS_LOCATION: Setting[Location] = Setting(
    key="offset-syncs.topic.location",
    values=choice(*get_args(Location)),
    default="source",
    role="source",
    effect="planning",
    change="restart",
    slot_field="offset_syncs_on_target",
    doc="The cluster that holds the topic of offset syncs.",
)
OFFSET_LAG_MAX = Setting(
    key="offset.lag.max",
    values=whole(0),
    default=100,
    role="source",
    effect="engine",
    slot_field="offset_lag_max",
    doc="How far the offsets of source and target may drift apart before an offset sync is written.",
)
