"""The single home of column names: raw metrics in, tables of the metrics store out.

The tables are created by the migrations of `srm_service.monitoring`; `tests/contract/test_metrics_tables.py` holds the
two together. Nothing of Spark is imported, so that a test can read it without starting Spark.
"""

from dataclasses import dataclass, field
from typing import Literal, get_args

from replication.domain.names.internal_topics import RAW_METRICS
from replication.domain.reporting.metric_defs import TILE_VALUES, WIDTHS_MS, TileLevel, TileWidth
from replication.domain.reporting.query_figures import QUERY_FIGURES

ColumnKind = Literal["bigint", "double", "text"]

LEVELS: tuple[TileLevel, ...] = get_args(TileLevel)
EVENT_RETENTION_MS = 30 * 24 * 3_600_000
AUDIT_RETENTION_MS = 90 * 24 * 3_600_000
FLOW_TOPIC = ""  # `series.topic` of a flow
WHOLE_TOPIC = -1  # `series.partition` of a topic as a whole, and of a flow
ANY_PARTITION = -1  # `task_seq.partition` of a row that holds for every raw partition

JOB_ATTEMPTS = 3  # a job that takes its process down must not do so for ever

RAW_TOPIC_PATTERN = RAW_METRICS.pattern()
RAW_VERSION = 1
RAW_KINDS = ("task", "heartbeat", "connector", "driver", "gap", "event", "group")

SIDE_KINDS = ("heartbeat", "event", "group")  # few and small: read record by record where the tiles are merged


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column; `identity` means the database numbers the rows."""

    name: str
    kind: ColumnKind
    null: bool = False
    identity: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of the metrics store: its columns in order, its primary key, what is unique and what is indexed."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    unique: tuple[tuple[str, ...], ...] = ()
    indexes: tuple[tuple[str, ...], ...] = field(default=())
    staged: bool = False  # may be lost in a crash: PostgreSQL keeps no log of it
    overwritten: bool = False  # every batch replaces its rows: PostgreSQL keeps room for their next versions

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def gauge_table(width: TileWidth) -> str:
    """The name of a gauge table, such as `gauge_1m`."""
    return f"gauge_{width}"


def tile_table(level: TileLevel, width: TileWidth) -> str:
    """The name of a tile table, such as `tile_topic_1m`."""
    return f"tile_{level}_{width}"


def _bigints(*names: str, null: bool = False) -> tuple[Column, ...]:
    return tuple(Column(name=name, kind="bigint", null=null) for name in names)


def _texts(*names: str, null: bool = False) -> tuple[Column, ...]:
    return tuple(Column(name=name, kind="text", null=null) for name in names)


def _identity() -> tuple[Column, ...]:
    return (Column(name="id", kind="bigint", identity=True),)


TILE_COLUMNS: tuple[Column, ...] = (
    *_bigints("id", "time_ms"),
    *(
        Column(name=column.name, kind="text" if column.is_text else "bigint", null=column.null)
        for value in TILE_VALUES
        for column in value.columns
    ),
)

TILES: tuple[Table, ...] = tuple(
    Table(name=tile_table(level, width), columns=TILE_COLUMNS, key=("id", "time_ms"), indexes=(("time_ms",),))
    for level in LEVELS
    for width in WIDTHS_MS
)

GAUGES: tuple[Table, ...] = tuple(  # named readings of a flow: heartbeat age, counters (their `sum` adds up)
    Table(
        name=f"gauge_{width}",
        columns=(
            *_bigints("id"),
            *_texts("name"),
            *_bigints("time_ms", "count", "min", "max", "sum", "last"),
        ),
        key=("id", "name", "time_ms"),
        indexes=(("time_ms",),),
    )
    for width in WIDTHS_MS
)

GROUP_NOW = Table(  # offsets of a consumer group's partition: upstream committed, downstream checkpointed
    name="group_now",
    columns=(
        *_texts("source", "target", "consumer_group", "topic"),
        *_bigints("partition"),
        *_bigints("committed", "checkpointed", "log_end", "latency_ms", null=True),
        *_bigints("last_ms"),
    ),
    key=("source", "target", "consumer_group", "topic", "partition"),
)

EVENT = Table(  # changes of state as the drivers saw them
    name="event",
    columns=(
        *_identity(),
        *_texts("source", "target", "task", "driver"),
        *_bigints("time_ms"),
        *_texts("scope"),
        *_texts("topic", null=True),
        *_bigints("partition", null=True),
        *_texts("from_state", null=True),
        *_texts("to_state"),
        *_texts("cause", "text", null=True),
    ),
    key=("id",),
    indexes=(("source", "target", "time_ms"),),
)

SERIES = Table(
    name="series",
    columns=(
        *_identity(),
        *_texts("source", "target", "topic", "remote_topic"),
        *_bigints("partition"),
        *_texts("consumer_group"),  # '' for what is no consumer group
    ),
    key=("id",),
    unique=(("source", "target", "topic", "remote_topic", "partition", "consumer_group"),),
    indexes=(("target",),),
)

PARTITION_NOW = Table(  # topics and flows have a row here too: `covered_to` and the log ends are null there
    name="partition_now",
    columns=(
        *_bigints("series_id"),
        *_texts("state"),
        *_texts("cause", null=True),
        *_bigints("covered_to", "log_end", "downstream_end", "lag", null=True),
        *_bigints("last_ms"),
        Column(name="records_per_second", kind="double", null=True),
        Column(name="bytes_per_second", kind="double", null=True),
        *_bigints("log_start", "last_record_ms", null=True),
    ),
    key=("series_id",),
    overwritten=True,
)

COVERED = Table(  # covered - overlap + hole of all tiles of a series = next_offset - first_offset, under one topic id
    name="covered",
    columns=(*_bigints("series_id"), *_texts("topic_id"), *_bigints("first_offset", "next_offset")),
    key=("series_id",),
    overwritten=True,
)

TASK_SEQ = Table(  # by raw partition: seqs of two partitions come in no order of each other
    name="task_seq",
    columns=(*_texts("target", "task", "boot"), *_bigints("partition", "seq", "last_ms")),
    key=("target", "task", "boot", "partition"),
)

INGEST_OFFSET = Table(
    name="ingest_offset",
    columns=(
        *_texts("target", "topic"),
        *_bigints("partition"),
        *_texts("topic_id"),
        *_bigints("next_offset", "writer_epoch"),
    ),
    key=("target", "topic", "partition"),
)

INGEST_GAP = Table(  # cause: topic_recreated | retention | truncated; to_offset null = unknown for ever
    name="ingest_gap",
    columns=(
        *_identity(),
        *_texts("target", "topic"),
        *_bigints("partition"),
        *_texts("topic_id"),
        *_bigints("from_offset"),
        *_bigints("to_offset", null=True),
        *_texts("cause"),
        *_bigints("detected_ms"),
    ),
    key=("id",),
    indexes=(("target", "detected_ms"),),
)

GAP = Table(
    name="gap",
    columns=(
        *_identity(),
        *_texts("source", "target", "topic", "topic_id"),
        *_bigints("partition"),
        *_texts("cause"),
        *_bigints("from_offset"),
        *_bigints("to_offset", "count", null=True),
        *_bigints("detected_ms"),
        *_texts("policy"),
    ),
    key=("id",),
    unique=(("source", "target", "topic", "partition", "detected_ms"),),
)

WRITER = Table(
    name="writer",
    columns=(
        *_texts("target"),
        *_bigints("epoch"),
        *_texts("owner"),
        *_bigints("started_ms", "heartbeat_ms"),
        *_bigints("last_batch_ms", null=True),
        *_bigints("revision"),  # grows by one of these: what was read of the series, or of an hour that passed, is void
    ),
    key=("target",),
)
SERIES_DELETED = 1
HOUR_EXCHANGED = 1 << 32

QUERY_STATUS = Table(  # figures of the last minute, and what is wrong with Spark's executors
    name="query_status",
    columns=(
        *_texts("target"),
        *_bigints("time_ms", null=True),
        *(Column(name=figure.name, kind=figure.kind, null=True) for figure in QUERY_FIGURES),
        *_texts("warning"),
    ),
    key=("target",),
)

BAD_RECORD = Table(
    name="bad_record",
    columns=(*_texts("target", "topic"), *_bigints("partition", "count"), *_texts("sample"), *_bigints("last_ms")),
    key=("target", "topic", "partition"),
)

ROLLUP = Table(  # tiles before `rolled_to_ms` of the next finer width are contained in this width
    name="rollup",
    columns=(*_texts("target", "width"), *_bigints("rolled_to_ms")),
    key=("target", "width"),
)

JOB_REQUEST = Table(
    name="job_request",
    columns=(
        *_identity(),
        *_texts("kind", "target", "spec", "state"),
        *_texts("claimed_by", null=True),
        *_bigints("heartbeat_ms", null=True),
        *_texts("progress", "error", null=True),
        *_bigints("attempts"),  # how many processes have begun it
    ),
    key=("id",),
    indexes=(("state",),),
)

AUDIT_RUN = Table(  # one row per topic of an audit; the audit itself is its row in `job_request`
    name="audit_run",
    columns=(
        *_bigints("job_id"),
        *_texts("source", "target", "topic", "remote_topic", "state", "mode", "compared"),
        *_bigints("started_ms"),
        *_bigints("ended_ms", null=True),
        *_bigints("records_source", "records_target", "ranges", "ranges_bad"),
        *_bigints("missing", "duplicate", "changed", "reordered", "unexpected"),
        *_bigints("gap", "skipped", "dead_lettered", "filtered_records", "local_records"),
        *_texts("not_compared"),
        *_bigints("proven_until_ms", null=True),
        *_texts("error", null=True),
    ),
    key=("job_id", "topic"),
    indexes=(("source", "target", "started_ms"),),
)

AUDIT_FINDING = Table(  # `records` neighbours from these offsets on; null: that side has no such record
    name="audit_finding",
    columns=(
        *_identity(),
        *_bigints("job_id"),
        *_texts("topic"),
        *_bigints("partition"),
        *_texts("kind"),
        *_bigints("source_offset", "target_offset", null=True),
        *_bigints("records"),
        *_texts("detail"),
    ),
    key=("id",),
    indexes=(("job_id", "topic"),),
)

AUDIT_PROVEN = Table(  # the copy is proven equal below these offsets; proven_ms: so was all there was at that time
    name="audit_proven",
    columns=(
        *_texts("source", "target", "topic"),
        *_bigints("partition"),
        *_texts("topic_id", "remote_topic_id"),
        *_bigints("proven_offset", "proven_target_offset"),
        *_bigints("proven_ms", null=True),
    ),
    key=("source", "target", "topic", "partition"),
)

STAGED_ATTEMPT = Table(  # attempts of tasks that have prepared rows; they count when the driver takes them over
    name="staged_attempt",
    columns=(*_bigints("attempt"), *_texts("target"), *_bigints("epoch", "batch")),
    key=("attempt",),
    staged=True,
)

STAGED_TILE = Table(  # `relation`: the tile table that the row is meant for
    name="staged_tile",
    columns=(*_bigints("attempt"), *_texts("relation"), *TILE_COLUMNS),
    key=("attempt", "relation", "id", "time_ms"),
    staged=True,
)

STAGED_NOW = Table(
    name="staged_now",
    columns=(*_bigints("attempt"), *PARTITION_NOW.columns),
    key=("attempt", "series_id"),
    staged=True,
)

STAGED_COVERED = Table(
    name="staged_covered",
    columns=(*_bigints("attempt"), *COVERED.columns),
    key=("attempt", "series_id"),
    staged=True,
)

BACKFILL = Table(  # the running backfill of a target; `backfill_id` lies above all epochs
    name="backfill",
    columns=(*_texts("target"), *_bigints("backfill_id", "job_id")),
    key=("target",),
    staged=True,
)

BACKFILL_TILE = Table(  # a part of a tile of `relation` as one step counted it, at its latest 10 s with a known lag
    name="backfill_tile",
    columns=(*_bigints("backfill_id"), *_texts("relation"), *_bigints("hour_ms", "step"), *TILE_COLUMNS),
    key=("backfill_id", "relation", "hour_ms", "id", "time_ms", "step"),
    staged=True,
)

_BY_SERIES = ("backfill_id", "series_id")
BACKFILL_NOW = Table(
    name="backfill_now", columns=(*_bigints("backfill_id"), *PARTITION_NOW.columns), key=_BY_SERIES, staged=True
)
BACKFILL_COVERED = Table(
    name="backfill_covered", columns=(*_bigints("backfill_id"), *COVERED.columns), key=_BY_SERIES, staged=True
)

TABLES: tuple[Table, ...] = (
    SERIES,
    PARTITION_NOW,
    *TILES,
    *GAUGES,
    GROUP_NOW,
    EVENT,
    COVERED,
    STAGED_ATTEMPT,
    STAGED_TILE,
    STAGED_NOW,
    STAGED_COVERED,
    BACKFILL,
    BACKFILL_TILE,
    BACKFILL_NOW,
    BACKFILL_COVERED,
    TASK_SEQ,
    INGEST_OFFSET,
    INGEST_GAP,
    GAP,
    WRITER,
    QUERY_STATUS,
    BAD_RECORD,
    ROLLUP,
    JOB_REQUEST,
    AUDIT_RUN,
    AUDIT_FINDING,
    AUDIT_PROVEN,
)
