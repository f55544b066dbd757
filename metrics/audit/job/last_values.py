"""A compacted topic is compared by the last record of every key. Built-in SQL expressions only."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from metrics.audit.job.frames import contents_of
from replication.domain.reporting.audit_words import FindingKind


class LastValue(NamedTuple):
    """A difference between the two sides of a compacted topic in one key."""

    partition: int
    kind: FindingKind
    source_offset: int | None
    target_offset: int | None


class LastValues(NamedTuple):
    """Differing keys up to a limit, how many more differ by partition and kind, and how many keys each side has."""

    differing: list[LastValue]
    not_listed: dict[tuple[int, FindingKind], int]
    keys_source: int
    keys_target: int


def last_values(
    source: DataFrame, target: DataFrame, source_ends: Mapping[int, int], target_ends: Mapping[int, int]
) -> DataFrame:
    """Every key with its last record below the frozen ends on both sides, and `kind`: how the sides differ, or null.

    A key that has a newer record beyond a frozen end is on its way: its older one may be compacted away already.
    """
    both = _last_by_key(source, _end_of(source_ends), "source").join(
        _last_by_key(target, _end_of(target_ends), "target"), ["partition", "key_hash"], "full_outer"
    )
    moving = F.coalesce("source_newer", F.lit(False)) | F.coalesce("target_newer", F.lit(False))
    gone_source = F.col("source_offset").isNull()
    gone_target = F.col("target_offset").isNull()
    differs = F.lit(False)
    for name in contents_of(source):
        differs = differs | (F.col(f"source_{name}") != F.col(f"target_{name}"))
    kind = (
        F.when(moving, None)
        .when(gone_source & F.col("target_tombstone"), None)  # a tombstone that the source has cleaned away
        .when(gone_target & F.col("source_tombstone"), None)
        .when(gone_source, "unexpected")
        .when(gone_target, "missing")
        .when(differs, "changed")
    )
    return both.select("partition", kind.alias("kind"), "source_offset", "target_offset")


def _end_of(ends: Mapping[int, int]) -> Column:
    """The frozen end of a row's partition."""
    end = F.lit(0).cast("bigint")
    for partition, offset in ends.items():
        end = F.when(F.col("partition") == partition, F.lit(offset)).otherwise(end)
    return end


def _last_by_key(frame: DataFrame, frozen_end: Column, side: str) -> DataFrame:
    frozen = F.col("offset") < frozen_end
    names = contents_of(frame)
    last = F.max(F.when(frozen, F.struct("offset", *names, "is_tombstone")))
    return (
        frame.groupBy("partition", "key_hash")
        .agg(last.alias("last"), F.bool_or(~frozen).alias(f"{side}_newer"))
        .select(
            "partition",
            "key_hash",
            F.col("last.offset").alias(f"{side}_offset"),
            *(F.col(f"last.{name}").alias(f"{side}_{name}") for name in names),
            F.col("last.is_tombstone").alias(f"{side}_tombstone"),
            f"{side}_newer",
        )
    )


def read_last_values(frame: DataFrame, limit: int) -> LastValues:
    """Run the jobs: how many keys were compared and how many differ, and `limit` of those that do."""
    groups = frame.groupBy("partition", "kind").agg(
        F.count("*").alias("keys"),
        F.count("source_offset").alias("source"),
        F.count("target_offset").alias("target"),
    )
    totals = groups.collect()
    counts: Counter[tuple[int, FindingKind]] = Counter(
        {(row.partition, row.kind): row["keys"] for row in totals if row.kind is not None}
    )
    listed: list[LastValue] = []
    if counts:
        differing = frame.where(F.col("kind").isNotNull()).orderBy("source_offset", "target_offset", "partition")
        listed = [
            LastValue(row.partition, row.kind, row.source_offset, row.target_offset)
            for row in differing.limit(limit).collect()
        ]
    not_listed = counts - Counter((each.partition, each.kind) for each in listed)
    return LastValues(listed, dict(not_listed), sum(row.source for row in totals), sum(row.target for row in totals))
