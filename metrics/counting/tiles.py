"""Turns raw metrics records into summaries of raw partitions and additions to tiles. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from metrics.counting.group_rows import ReadSummary, SeqKey, SeriesKey, SideRecord, TileGroup
from metrics.counting.parts import UNREADABLE, PartReader, as_text
from metrics.counting.records import SAMPLE_CHARS, RawRow, ValidatedRecord, validated_records
from metrics.schemas import SIDE_KINDS

_GAP_FIELDS = (
    *("source", "target", "topic", "topic_id", "partition", "cause", "from_offset", "to_offset"),
    *("count", "detected_ms", "policy"),
)
_COUNTERS_ENVELOPE = ("source", "target", "to_ms", "counters")

_HeadKey = tuple[str, int, str | None, str | None]  # raw partition; task and boot of what is numbered
_GroupKey = tuple[SeriesKey, str, int, tuple[str, int]]  # series, topic id, tile, raw partition


def counted(
    rows: Iterable[RawRow],
    target: str,
    next_offsets: Mapping[tuple[str, int], int],
    last_seqs: Mapping[SeqKey, int],
) -> tuple[list[ReadSummary], list[TileGroup]]:
    """Return the new content of a batch; records below the ledger's offsets or with known seqs are skipped."""
    batch = _Batch()
    for each in validated_records(rows, target, next_offsets, last_seqs):
        batch.add(each)
    return [head.typed(*key) for key, head in batch.heads.items()], list(batch.groups.values())


@dataclass(slots=True)
class _HeadSums:
    first_offset: int
    last_offset: int
    bad: int = 0
    sample: str | None = None
    seq: int | None = None
    last_ms: int | None = None
    gaps: list[dict[str, Any]] = field(default_factory=list)
    side: list[SideRecord] = field(default_factory=list)
    seqs_read: tuple[int, int] | None = None

    def typed(self, topic: str, partition: int, task: str | None, boot: str | None) -> ReadSummary:
        return ReadSummary(
            topic=topic,
            partition=partition,
            first_offset=self.first_offset,
            last_offset=self.last_offset,
            bad=self.bad,
            sample=self.sample,
            task=task,
            boot=boot,
            seq=self.seq,
            last_ms=self.last_ms,
            gaps=tuple(self.gaps),
            side=tuple(self.side),
            seqs_read=self.seqs_read,
        )


class _Batch:
    """Takes records in raw order."""

    def __init__(self) -> None:
        self.heads: dict[_HeadKey, _HeadSums] = {}
        self.groups: dict[_GroupKey, TileGroup] = {}

    def add(self, found: ValidatedRecord) -> None:
        record = found.record
        if found.is_numbered:
            head = self._head(found, record["task"], record["boot"])
            head.last_ms = max(head.last_ms or 0, record["to_ms"])
            lowest, highest = head.seqs_read or (record["seq"], record["seq"])
            head.seqs_read = min(lowest, record["seq"]), max(highest, record["seq"])
            if found.fresh:  # a repeated one says nothing new
                head.seq = max(head.seq or 0, record["seq"])
                head.side += _side(found)
                if record["kind"] == "task":
                    self._add_parts(found)
            return
        head = self._head(found)
        if found.problem is not None:
            head.bad += 1
            head.sample = f"{found.problem}: {found.text[:SAMPLE_CHARS]}"
        elif record["kind"] == "gap":
            head.gaps.append({name: record[name] for name in _GAP_FIELDS if record.get(name) is not None})

    def _head(self, found: ValidatedRecord, task: str | None = None, boot: str | None = None) -> _HeadSums:
        """Return the summary of the task if there is one, extended by the offset."""
        topic, partition, offset, _ = found.row
        head = self.heads.setdefault((topic, partition, task, boot), _HeadSums(offset, offset))
        head.last_offset = offset
        return head

    def _add_parts(self, found: ValidatedRecord) -> None:
        """A part that cannot be read is counted as bad; its neighbours count."""
        raw = (found.row.topic, found.row.partition)
        reader = PartReader(found.record, raw, found.row.offset)
        for position, part in enumerate(found.record["parts"], 1):
            try:
                group = reader.read(part, position)
            except UNREADABLE:
                head = self._head(found)
                head.bad += 1
                head.sample = f"unreadable part: {_part_text(part)}"
                continue
            earlier = self.groups.setdefault((group.key, group.topic_id, group.time_ms, raw), group)
            if earlier is not group:
                earlier.add_report(group)


def _side(found: ValidatedRecord) -> list[SideRecord]:
    """The record itself if it is of a side kind, else the counters of a task."""
    record, sample = found.record, found.text[:SAMPLE_CHARS]
    if record["kind"] in SIDE_KINDS:
        return [SideRecord(record, sample)]
    if record.get("counters"):
        fields = {name: record[name] for name in _COUNTERS_ENVELOPE}
        return [SideRecord({"kind": "counters", **fields}, sample)]
    return []


def _part_text(part: object) -> str:
    fields = part if isinstance(part, list) else [part]
    try:
        return ",".join(as_text(each) for each in fields if each is not None)[:SAMPLE_CHARS]
    except RecursionError:
        return "nested too deeply"
