"""The rows that leave Spark, typed: what happened in a raw partition, and what a tile of a series received."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from metrics.tile_sums import TileSums


class SeriesKey(NamedTuple):
    """A partition, a topic (partition -1), a flow (topic '' too), a flow's group. A tuple: hashed a lot."""

    source: str
    target: str
    topic: str
    remote_topic: str
    partition: int
    consumer_group: str = ""


class SeqKey(NamedTuple):
    """Whose sequence numbers grow: those of one start of a task, in one raw partition."""

    task: str
    boot: str
    raw_partition: int  # ANY_PARTITION: in all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What was read of one raw partition (of one task, where `task` is set), good and bad records alike."""

    topic: str
    partition: int
    first_offset: int
    last_offset: int
    bad: int
    sample: str | None
    task: str | None
    boot: str | None
    seq: int | None
    last_ms: int | None
    gaps: tuple[dict[str, Any], ...]
    side: tuple[str, ...] = ()  # records that are read one by one: `metrics.side_records`


@dataclass(frozen=True, slots=True)
class Span:
    """A reported range of source offsets and where its report stands in the raw partition."""

    raw_offset: int
    position: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """The latest report of a partition, or what it comes to for a topic or flow, which have no offsets."""

    state: str
    cause: str | None
    covered_to: int | None
    log_end: int | None
    downstream_end: int | None
    lag: int | None
    last_ms: int
    records_per_second: float | None
    bytes_per_second: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TileGroup:
    """What one raw partition adds to one 10 s tile of one source partition; `sums` lacks what needs order."""

    key: SeriesKey
    topic_id: str
    time_ms: int
    raw: tuple[str, int]
    first_ms: int
    sums: TileSums
    now: Now
    spans: tuple[Span, ...]


def read_rows(texts: Iterable[str], target: str) -> tuple[list[Head], list[TileGroup]]:
    """Split and type the JSON rows of `transforms.tiles.aggregated`."""
    heads: list[Head] = []
    groups: list[TileGroup] = []
    for text in texts:
        row = json.loads(text)
        if row.get("is_part"):
            groups.append(_tile_group(row, target))
        else:
            heads.append(_head(row))
    return heads, groups


def _head(row: dict[str, Any]) -> Head:
    return Head(
        topic=row["raw_topic"],
        partition=row["raw_partition"],
        first_offset=row["first_raw_offset"],
        last_offset=row["last_raw_offset"],
        bad=row["bad"],
        sample=row.get("sample"),
        task=row.get("task"),
        boot=row.get("boot"),
        seq=row.get("seq"),
        last_ms=row.get("last_ms"),
        gaps=tuple(json.loads(gap) for gap in row["gaps"]),
        side=tuple(row["side"]),
    )


def _tile_group(row: dict[str, Any], target: str) -> TileGroup:
    sums = TileSums.from_values(row)
    sums.lag_last = row["now"].get("lag")
    return TileGroup(
        key=SeriesKey(row["source"], target, row["topic"], row["remote_topic"], row["partition"]),
        topic_id=row["topic_id"],
        time_ms=row["time_ms"],
        raw=(row["raw_topic"], row["raw_partition"]),
        first_ms=row["first_ms"],
        sums=sums,
        now=_now(row["now"]),
        spans=tuple(Span(span["offset"], span["position"], span["from"], span["to"]) for span in row["spans"]),
    )


def _now(row: dict[str, Any]) -> Now:
    period_ms = row["to_ms"] - row["from_ms"]
    rates = [row[name] * 1_000 / period_ms for name in ("records", "bytes")] if period_ms > 0 else [None, None]
    return Now(
        state=row["state"],
        cause=row.get("cause"),
        covered_to=row["to_offset"],
        log_end=row.get("log_end"),
        downstream_end=row.get("downstream_end"),
        lag=row.get("lag"),
        last_ms=row["to_ms"],
        records_per_second=rates[0],
        bytes_per_second=rates[1],
    )
