"""Kafka rows -> raw metrics records with a verdict each: fresh, repeated or bad. Built-in expressions only."""

import json
from collections.abc import Mapping
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from metrics.schemas import ANY_PARTITION, RAW_KINDS, RAW_RECORD_DDL, RAW_VERSION, SIDE_KINDS
from metrics.transforms.group_rows import SeqKey

SAMPLE_CHARS = 500
# A clock outside of these years is broken; its tiles would be beyond any retention.
_MIN_MS, _MAX_MS = 1_000_000_000_000, 4_102_444_800_000

KAFKA_COLUMNS = ("topic", "partition", "offset", "value")


def unread(raw: DataFrame, next_offsets: Mapping[tuple[str, int], int]) -> DataFrame:
    """Drop rows below the ledger: a batch that is read again after its commit adds nothing."""
    floor = lookup(
        {f"{topic}:{partition}": offset for (topic, partition), offset in next_offsets.items()},
        F.concat_ws(":", "topic", "partition"),
    )
    return raw.where(F.coalesce(floor, F.lit(0)) <= F.col("offset"))


def parsed(raw: DataFrame, target: str) -> DataFrame:
    """Columns: raw_topic, raw_partition, raw_offset, record (a struct), problem (null when sound), side.

    `side` is the whole text of a record that is read one by one where the tiles are folded.
    """
    text = F.col("value").cast("string")
    record = F.from_json(text, f"{RAW_RECORD_DDL}, _corrupt STRING", {"columnNameOfCorruptRecord": "_corrupt"})
    return raw.select(
        F.col("topic").alias("raw_topic"),
        F.col("partition").alias("raw_partition"),
        F.col("offset").alias("raw_offset"),
        text.alias("text"),
        record.alias("record"),
    ).withColumns(
        {
            "problem": _problem(target),
            "side": F.when(F.col("record.kind").isin(*SIDE_KINDS), F.col("text")),
            "text": F.substring("text", 1, SAMPLE_CHARS),
        }
    )


def without_repeats(records: DataFrame, last_seqs: Mapping[SeqKey, int]) -> DataFrame:
    """Add `fresh`: a sound record above what was counted of its task and boot there, and the first with its seq.

    A task writes one raw partition (the key is its id), until partitions are added: then its records lie in two of
    them, and a batch may bring the older ones of one after the newer ones of the other. So each has its own guard.
    """
    record = F.col("record")
    earlier = (
        Window.partitionBy(record["kind"], record["task"], record["boot"], record["seq"])
        .orderBy("raw_topic", "raw_partition", "raw_offset")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    guards = {f"{task}\n{boot}\n{partition}": seq for (task, boot, partition), seq in last_seqs.items()}
    own = lookup(guards, F.concat_ws("\n", record["task"], record["boot"], "raw_partition"))
    of_all = lookup(guards, F.concat_ws("\n", record["task"], record["boot"], F.lit(str(ANY_PARTITION))))
    stored = F.coalesce(own, of_all)
    is_sound = F.col("problem").isNull()
    is_first = F.count(F.when(is_sound, 1)).over(earlier) == 0
    return records.withColumn("fresh", is_sound & is_first & (record["seq"] > F.coalesce(stored, F.lit(-1))))


def lookup(values: Mapping[str, int], key: Column) -> Column:
    """`values[key]` or null. The map is a constant of the plan, but the generated code stays the same and cached."""
    constant = F.from_json(F.lit(json.dumps(values)), "MAP<STRING, BIGINT>")
    return F.try_element_at(constant, key)


def _problem(target: str) -> Column:
    record = F.col("record")
    is_task, is_gap = record["kind"] == "task", record["kind"] == "gap"
    is_numbered = record["kind"].isin("task", *SIDE_KINDS)
    complete = (
        (F.length(record["source"]) > 0)
        & (F.length(record["task"]) > 0)
        & (F.length(record["boot"]) > 0)
        & (record["seq"] >= 0)
        & (record["from_ms"] <= record["to_ms"])
        & record["to_ms"].between(_MIN_MS, _MAX_MS)
    )
    gap_fields = "source target topic topic_id partition cause from_offset detected_ms policy"
    complete_gap = reduce(and_, (record[name].isNotNull() for name in gap_fields.split()))
    return (
        F.when(record.isNull() | record["_corrupt"].isNotNull() | record["kind"].isNull(), "not a raw metrics record")
        .when(F.col("text").contains("\\u0000"), "holds a NUL")  # which PostgreSQL cannot store
        .when(F.coalesce(record["v"] != RAW_VERSION, F.lit(True)), "unknown version")
        .when(~record["kind"].isin(*RAW_KINDS), "unknown kind")
        .when(is_numbered & ~F.coalesce(complete, F.lit(False)), "incomplete envelope")
        .when(is_numbered & (record["target"].isNull() | (record["target"] != target)), "written for another target")
        .when(is_task & (record["topics"].isNull() | record["parts"].isNull()), "no topics or parts")
        .when(is_gap & ~complete_gap, "incomplete gap")
    )
