"""Verdicts on records -> one row per (series, 10 s tile) and one per raw partition and task, in a single aggregation.

One aggregation rather than several actions, because each action would read Kafka again. Rows leave as JSON text: a
string column is the cheapest thing to bring to the driver, and needs no Arrow.
"""

from collections.abc import Callable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from metrics.schemas import SIDE_KINDS, WIDTHS_MS
from metrics.transforms.parse import SAMPLE_CHARS
from replication.domain.histogram import MAX_BUCKET, ZERO_BUCKET

TILE_MS = WIDTHS_MS["10s"]

# Above these a value is nonsense; below them a sum over a tile cannot overflow 64 bits.
_MAX_AMOUNT = 1 << 40
_MAX_OFFSET = 1 << 53
_MAX_SUM_MS = 1 << 58  # a year of latency for every record of a busy period
_AMOUNTS = ("records", "bytes", "wire_bytes", "throttled_ms")
_HISTOGRAMS = ("latency", "age")
_GAP_FIELDS = (
    "source target topic topic_id partition cause from_offset to_offset count detected_ms policy".split()  # noqa: SIM905
)
_ENVELOPE = ("kind", "source", "task", "boot", "seq", "from_ms", "to_ms", "topics")
_HEAD_KEYS = ("raw_topic", "raw_partition", "task", "boot")
_SERIES_KEYS = ("source", "topic", "remote_topic", "partition", "topic_id", "time_ms")


def flattened(records: DataFrame) -> DataFrame:
    """One row per sound part of a fresh record (`is_part`), and one more per record, which carries the verdict.

    A part that cannot be read becomes a row with a problem; its neighbours count. Nothing wide may be carried past the
    explosion: it would be copied into every row.
    """
    record = F.col("record")
    readable = F.col("fresh") & (record["kind"] == "task")
    no_part = F.array(F.lit(None).cast("ARRAY<STRING>"))
    parts = F.concat(no_part, F.when(readable, record["parts"]).otherwise(F.array().cast("ARRAY<ARRAY<STRING>>")))
    slim = records.select(
        *("raw_topic", "raw_partition", "raw_offset", "text", "fresh", "problem"),
        *(record[name].alias(name) for name in _ENVELOPE),
        _gap().alias("gap"),
        _side().alias("side"),
        parts.alias("parts"),
    )
    exploded = slim.select(*(name for name in slim.columns if name != "parts"), F.posexplode("parts"))
    is_head = F.col("pos") == 0
    heads = ("text", "gap", "side")
    split = exploded.select(
        *("raw_topic", "raw_partition", "raw_offset", "fresh", "problem", *_ENVELOPE[:-1]),
        *(F.when(is_head, F.col(name)).alias(name) for name in heads),
        F.col("pos").alias("position"),
        *_part_columns(),
    )
    parsed = split.select(
        *(name for name in split.columns if not name.endswith("_values")),
        *(column for name in _HISTOGRAMS for column in _histogram_columns(name)),
    )
    sound = F.coalesce(_sound_part(), F.lit(False))
    wants_part = F.col("position") > 0
    return parsed.withColumns(
        {
            "is_part": wants_part & sound,
            "problem": F.when(wants_part & ~sound, "unreadable part").otherwise(F.col("problem")),
            "text": F.when(wants_part & ~sound, F.col("part_text")).otherwise(F.col("text")),
        }
    ).drop("part_text")


def aggregated(rows: DataFrame) -> DataFrame:
    """Group flattened rows; one text column `row` of JSON objects, read by `metrics.transforms.group_rows`."""
    is_part = F.col("is_part")
    is_head = F.col("position") == 0
    numbered = is_head & F.col("problem").isNull() & F.col("kind").isin("task", *SIDE_KINDS)
    keyed = rows.withColumns(
        {
            "is_numbered": numbered,
            "task": F.when(numbered, F.col("task")),
            "boot": F.when(numbered, F.col("boot")),
            "source": F.when(is_part, F.col("source")),
            **{name: F.when(is_part, F.col(f"part_{name}")) for name in ("topic", "remote_topic", "topic_id")},
            "partition": F.when(is_part, F.col("part_partition")),
            "time_ms": F.when(is_part, _tile_of(F.col("to_ms"))),
            "lag": F.when(F.col("log_end").isNotNull(), F.greatest(F.col("log_end") - F.col("to_offset"), F.lit(0))),
        }
    )
    grouped = keyed.groupBy(*_HEAD_KEYS, *_SERIES_KEYS).agg(*_head_aggregates(), *_part_aggregates())
    merged = grouped.select(
        *(column for column in grouped.columns if not column.endswith("_hists")),
        *(_merged_histogram(name) for name in _HISTOGRAMS),
    )
    return merged.select(F.to_json(F.struct(*merged.columns)).alias("row"))


def _gap() -> Column:
    record = F.col("record")
    gap = F.to_json(F.struct(*(record[name].alias(name) for name in _GAP_FIELDS)))
    return F.when(F.col("problem").isNull() & (record["kind"] == "gap"), gap)


def _side() -> Column:
    """What is read record by record where the tiles are folded: the side kinds, and the counters of tasks."""
    record = F.col("record")
    counters = F.struct(
        F.lit("counters").alias("kind"),
        *(record[name].alias(name) for name in ("source", "target", "to_ms", "counters")),
    )
    has_counters = F.col("fresh") & (record["kind"] == "task") & (F.size(record["counters"]) > 0)
    return F.when(has_counters, F.to_json(counters)).when(F.col("fresh"), F.col("side"))


def _tile_of(to_ms: Column) -> Column:
    """The tile that holds the last millisecond of the period."""
    last_ms = to_ms - 1
    return last_ms - last_ms % TILE_MS


def _part_columns() -> list[Column]:
    part = F.col("col")
    topic = F.get(F.col("topics"), F.get(part, 0).try_cast("INT"))
    offsets = ("from_offset", "to_offset", "log_start", "log_end", "downstream_end")
    return [
        F.get(topic, 0).alias("part_topic"),
        F.get(topic, 1).alias("part_remote_topic"),
        F.get(topic, 2).alias("part_topic_id"),
        F.get(part, 1).try_cast("BIGINT").alias("part_partition"),
        F.get(part, 2).alias("state"),
        F.get(part, 3).alias("cause"),
        *(F.get(part, 4 + i).try_cast("BIGINT").alias(name) for i, name in enumerate(offsets)),
        *(F.get(part, 9 + i).try_cast("BIGINT").alias(name) for i, name in enumerate(_AMOUNTS)),
        *(F.get(part, 13 + i).isNotNull().alias(f"{name}_there") for i, name in enumerate(_HISTOGRAMS)),
        # A step of its own: each text is parsed once and then read by position.
        *(
            F.from_json(F.get(part, 13 + i), "ARRAY<STRING>").alias(f"{name}_values")
            for i, name in enumerate(_HISTOGRAMS)
        ),
        F.substring(F.concat_ws(",", part), 1, SAMPLE_CHARS).alias("part_text"),
    ]


def _histogram_columns(name: str) -> list[Column]:
    values = F.col(f"{name}_values")
    numbers = ("count", "min_ms", "max_ms", "sum_ms", "negative_count")
    return [
        (~F.col(f"{name}_there") | (F.size(values) == 6)).alias(f"{name}_sound"),
        *(F.get(values, i).try_cast("BIGINT").alias(f"{name}_{number}") for i, number in enumerate(numbers)),
        F.from_json(F.get(values, 5), "MAP<STRING, BIGINT>").alias(f"{name}_hist"),
    ]


def _sound_part() -> Column:
    sound = (
        (F.length("part_topic") > 0)
        & F.col("part_remote_topic").isNotNull()
        & F.col("part_topic_id").isNotNull()
        & (F.col("part_partition") >= 0)
        & (F.length("state") > 0)
        & F.col("from_offset").between(0, _MAX_OFFSET)
        & (F.col("to_offset") - F.col("from_offset")).between(0, _MAX_AMOUNT)
    )
    for name in _AMOUNTS:
        sound &= F.col(name).between(0, _MAX_AMOUNT)
    for name in ("log_start", "log_end", "downstream_end"):
        sound &= F.col(name).isNull() | F.col(name).between(0, _MAX_OFFSET)
    for name in _HISTOGRAMS:
        absent = F.col(f"{name}_count").isNull()
        sound &= F.col(f"{name}_sound") & (absent | _sound_histogram(name))
    return sound


def _sound_histogram(name: str) -> Column:
    buckets = F.col(f"{name}_hist")
    sound = F.col(f"{name}_count").between(0, _MAX_AMOUNT) & buckets.isNotNull()
    for number in ("min_ms", "max_ms", "negative_count"):
        sound &= F.col(f"{name}_{number}").between(0, _MAX_AMOUNT)
    numeric_keys = F.forall(
        F.map_keys(buckets), lambda key: F.coalesce(key.try_cast("INT").between(ZERO_BUCKET, MAX_BUCKET), F.lit(False))
    )
    counts = F.forall(F.map_values(buckets), lambda count: count.between(0, _MAX_AMOUNT))
    return sound & F.col(f"{name}_sum_ms").between(0, _MAX_SUM_MS) & numeric_keys & counts


def _head_aggregates() -> list[Column]:
    is_bad = F.col("problem").isNotNull()
    sample = F.concat_ws(": ", "problem", F.col("text"))
    is_numbered = F.col("is_numbered")
    return [
        F.min("raw_offset").alias("first_raw_offset"),
        F.max("raw_offset").alias("last_raw_offset"),
        F.sum(F.when(is_bad, 1).otherwise(0)).alias("bad"),
        F.max_by(F.when(is_bad, sample), F.when(is_bad, F.col("raw_offset"))).alias("sample"),
        F.max(F.when(is_numbered & F.col("fresh"), F.col("seq"))).alias("seq"),  # a repeated one says nothing new
        F.max(F.when(is_numbered, F.col("to_ms"))).alias("last_ms"),
        F.collect_list("gap").alias("gaps"),
        F.collect_list("side").alias("side"),
    ]


def _part_aggregates() -> list[Column]:
    is_part = F.col("is_part")
    order = F.struct("raw_offset", "position")
    now_fields = ("state", "cause", "to_offset", "log_end", "downstream_end", "lag", "records", "bytes")
    now = F.struct(*now_fields, "from_ms", "to_ms")
    span = F.struct(
        F.col("raw_offset").alias("offset"),
        "position",
        F.col("from_offset").alias("from"),
        F.col("to_offset").alias("to"),
    )
    counts = ("count", "sum_ms", "negative_count")
    return [
        F.first("is_part").alias("is_part"),
        *(F.sum(F.when(is_part, F.col(name))).alias(name) for name in _AMOUNTS),
        F.max(F.when(is_part, F.col("lag"))).alias("lag_max"),
        F.max_by(F.when(is_part, now), F.when(is_part, order)).alias("now"),
        F.min(F.when(is_part, F.col("to_ms"))).alias("first_ms"),
        F.collect_list(F.when(is_part, span)).alias("spans"),
        *(
            F.sum(F.when(is_part, F.col(f"{name}_{number}"))).alias(f"{name}_{number}")
            for name in _HISTOGRAMS
            for number in counts
        ),
        *(_when_counted(F.min, name, "min_ms") for name in _HISTOGRAMS),
        *(_when_counted(F.max, name, "max_ms") for name in _HISTOGRAMS),
        *(F.collect_list(F.when(is_part, F.col(f"{name}_hist"))).alias(f"{name}_hists") for name in _HISTOGRAMS),
    ]


def _when_counted(aggregate: Callable[[Column], Column], name: str, number: str) -> Column:
    counted = F.col("is_part") & (F.col(f"{name}_count") > 0)
    return aggregate(F.when(counted, F.col(f"{name}_{number}"))).alias(f"{name}_{number}")


def _merged_histogram(name: str) -> Column:
    empty = F.create_map().cast("MAP<STRING, BIGINT>")
    return F.aggregate(
        F.col(f"{name}_hists"),
        empty,
        lambda total, one: F.map_zip_with(
            total, one, lambda _key, a, b: F.coalesce(a, F.lit(0)) + F.coalesce(b, F.lit(0))
        ),
    ).alias(f"{name}_hist")
