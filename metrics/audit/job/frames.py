"""The DataFrames of an audit: Kafka rows -> hashed rows -> fingerprints and islands.

Built-in SQL expressions only, so that executors need no Python packages. Runs in a session without ANSI arithmetic: the
sums are meant to wrap around.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from metrics.audit.coverage import Span
from metrics.audit.fingerprints import Fingerprint, weighted
from metrics.audit.records import HashedRecord

_BLOCK = 4_096
_UNSIGNED = 1 << 64
PIECES_DDL = "piece_partition INT, piece_block BIGINT, piece_from BIGINT, piece_to BIGINT, number BIGINT"


class RangePart(NamedTuple):
    """Offsets [first, next) of a partition that belong to a range or an island."""

    partition: int
    first: int
    next: int
    number: int


def audit_session(spark: SparkSession) -> SparkSession:
    """A separate session in the same process: settings of an audit do not reach the streams."""
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", "false")
    session.conf.set("spark.sql.shuffle.partitions", "2")
    session.conf.set("spark.sql.adaptive.enabled", "false")
    session.conf.set("spark.sql.session.timeZone", "UTC")
    return session


def hashed(rows: DataFrame, *, with_timestamp: bool, strict: bool, ignored_headers: Sequence[str] = ()) -> DataFrame:
    """Rows of Spark's Kafka source (headers included) with their contents as numbers.

    Lengths separate the fields, -1 for null: a null key before a value must not look like a key without a value.
    """
    timestamp_ms = F.unix_millis("timestamp")
    if ignored_headers:
        others = F.filter("headers", lambda header: ~header["key"].isin(*ignored_headers))
        rows = rows.withColumn("headers", F.when(F.size(others) > 0, others))  # none at all reads as null
    lengths = F.transform("headers", lambda header: F.coalesce(F.length(header["value"]), F.lit(-1)))
    parts = [_length("key"), F.col("key"), _length("value"), F.col("value"), F.col("headers"), lengths]
    if with_timestamp:
        parts.append(timestamp_ms)
    contents = _sha2(with_timestamp=with_timestamp) if strict else [F.xxhash64(*parts)]
    return rows.select(
        "partition",
        "offset",
        *(content.alias(f"content_{index}") for index, content in enumerate(contents)),
        F.xxhash64(_length("key"), "key").alias("key_hash"),
        F.xxhash64(_length("value"), "value").alias("value_hash"),
        F.xxhash64("headers", lengths).alias("headers_hash"),
        (timestamp_ms if with_timestamp else F.lit(0).cast("bigint")).alias("timestamp_ms"),
        F.col("value").isNull().alias("is_tombstone"),
    )


def _length(name: str) -> Column:
    return F.coalesce(F.length(name), F.lit(-1))


def _sha2(*, with_timestamp: bool) -> list[Column]:
    """The first 120 bits of SHA-256 over everything, each field behind its length, as two numbers."""

    def bytes_of(field: Column) -> Column:
        length = F.coalesce(F.length(field), F.lit(-1)).cast("string")
        return F.concat(length.cast("binary"), F.lit(b":"), F.coalesce(field, F.lit(b"")))

    headers = F.aggregate(
        F.coalesce("headers", F.array()),
        F.lit(b""),
        lambda done, header: F.concat(done, bytes_of(header["key"].cast("binary")), bytes_of(header["value"])),
    )
    fields = [bytes_of(F.col("key")), bytes_of(F.col("value")), bytes_of(headers)]
    if with_timestamp:
        fields.append(F.unix_millis("timestamp").cast("string").cast("binary"))
    digest = F.sha2(F.concat(*fields), 256)
    return [F.conv(F.substring(digest, start, 15), 16, 10).cast("bigint") for start in (1, 16)]


def contents_of(frame: DataFrame) -> list[str]:
    """The columns that hold the content hashes."""
    return [name for name in frame.columns if name.startswith("content_")]


def assigned(session: SparkSession, frame: DataFrame, pieces: Iterable[RangePart]) -> DataFrame:
    """The rows that lie in a piece, with its number. Joined by blocks of offsets, as the pieces may be many."""
    rows = [
        (piece.partition, block, piece.first, piece.next, piece.number)
        for piece in pieces
        if piece.first < piece.next
        for block in range(piece.first // _BLOCK, (piece.next - 1) // _BLOCK + 1)
    ]
    table = F.broadcast(session.createDataFrame(rows, PIECES_DDL))
    same_block = (F.col("partition") == F.col("piece_partition")) & (F.shiftright("offset", 12) == F.col("piece_block"))
    inside = (F.col("offset") >= F.col("piece_from")) & (F.col("offset") < F.col("piece_to"))
    return frame.join(table, same_block & inside).drop("piece_partition", "piece_block", "piece_from", "piece_to")


def pieces_of(partition: int, number: int, spans: Iterable[Span]) -> list[RangePart]:
    return [RangePart(partition, first, following, number) for first, following in spans]


def fingerprinted(frame: DataFrame, side: str) -> DataFrame:
    """One row per range. A Kafka partition is read by one task and in order, so the rows' ids tell their places."""
    names = contents_of(frame)
    placed = frame.select("number", *names, F.monotonically_increasing_id().alias("place"))
    sums = [
        aggregate
        for name in names
        for aggregate in (
            F.bit_xor(name).alias(f"{name}_xor"),
            F.sum(name).alias(f"{name}_sum"),
            F.sum(F.col(name) * F.col("place")).alias(f"{name}_place"),
        )
    ]
    grouped = placed.groupBy("number").agg(F.count("*").alias("records"), F.min("place").alias("first_place"), *sums)
    return grouped.withColumn("side", F.lit(side))


def fingerprints(frame: DataFrame) -> dict[str, dict[int, Fingerprint]]:
    """Run the job: by side and range."""
    found: dict[str, dict[int, Fingerprint]] = {"source": {}, "target": {}}
    for row in frame.collect():
        values = row.asDict()
        sums: list[int] = []
        for name in sorted({name.rsplit("_", 1)[0] for name in values if name.startswith("content_")}):
            total = values[f"{name}_sum"]
            sums += [
                values[f"{name}_xor"] % _UNSIGNED,
                total % _UNSIGNED,
                weighted(values[f"{name}_place"], values["first_place"], total),
            ]
        found[values["side"]][values["number"]] = Fingerprint(values["records"], tuple(sums))
    return found


def island_rows(frame: DataFrame, side: str) -> DataFrame:
    """Rows of islands as they are compared one by one."""
    content = F.array(*contents_of(frame)).alias("content")
    columns = ("offset", "key_hash", "value_hash", "headers_hash", "timestamp_ms")
    return frame.select(F.lit(side).alias("side"), "number", *columns, content)


def island_records(frame: DataFrame) -> dict[tuple[str, int], list[HashedRecord]]:
    """Run the job: records by side and island, in offset order."""
    found: dict[tuple[str, int], list[HashedRecord]] = {}
    for row in frame.collect():
        record = HashedRecord(
            row.offset, tuple(row.content), row.key_hash, row.value_hash, row.headers_hash, row.timestamp_ms
        )
        found.setdefault((row.side, row.number), []).append(record)
    for records in found.values():
        records.sort(key=lambda record: record.offset)
    return found


def originals(session: SparkSession, frame: DataFrame, wanted: Sequence[tuple[int, Hashable]]) -> DataFrame:
    """Return the first place of each of these contents in `frame`: (partition, content, offset)."""
    names = contents_of(frame)
    ddl = ", ".join(["wanted_partition INT", *(f"wanted_{index} BIGINT" for index in range(len(names)))])
    table = F.broadcast(
        session.createDataFrame([(partition, *_numbers(content)) for partition, content in wanted], ddl)
    )
    same = F.col("partition") == F.col("wanted_partition")
    for index, name in enumerate(names):
        same = same & (F.col(name) == F.col(f"wanted_{index}"))
    return frame.join(table, same).groupBy("partition", *names).agg(F.min("offset").alias("offset"))


def _numbers(content: Hashable) -> tuple[int, ...]:
    return content if isinstance(content, tuple) else ()
