"""Raw metrics records -> what was read of each raw partition and task, and what each tile received. Pure."""

import contextlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from metrics.schemas import SIDE_KINDS
from metrics.transforms.group_rows import Head, SeqKey, SeriesKey, TileGroup
from metrics.transforms.parts import UNREADABLE, PartReader, as_text
from metrics.transforms.records import SAMPLE_CHARS, Judged, RawRow, judged

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
) -> tuple[list[Head], list[TileGroup]]:
    """Everything a batch brings, below the ledger's offsets and the seqs of before left out."""
    batch = _Batch()
    for each in judged(rows, target, next_offsets, last_seqs):
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
    side: list[str] = field(default_factory=list)

    def typed(self, topic: str, partition: int, task: str | None, boot: str | None) -> Head:
        return Head(
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
        )


class _Batch:
    """Takes records in raw order."""

    def __init__(self) -> None:
        self.heads: dict[_HeadKey, _HeadSums] = {}
        self.groups: dict[_GroupKey, TileGroup] = {}

    def add(self, found: Judged) -> None:
        record = found.record
        if found.is_numbered:
            head = self._head(found, record["task"], record["boot"])
            head.last_ms = max(head.last_ms or 0, record["to_ms"])
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

    def _head(self, found: Judged, task: str | None = None, boot: str | None = None) -> _HeadSums:
        """Of the task where there is one, with the offset taken in."""
        topic, partition, offset, _ = found.row
        head = self.heads.setdefault((topic, partition, task, boot), _HeadSums(offset, offset))
        head.last_offset = offset
        return head

    def _add_parts(self, found: Judged) -> None:
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
                earlier.take(group)


def _side(found: Judged) -> list[str]:
    """What is read record by record where the tiles are folded: the side kinds, and the counters of tasks."""
    record = found.record
    if record["kind"] in SIDE_KINDS:
        return [found.text]
    if record.get("counters"):
        with contextlib.suppress(RecursionError):  # counters that are nested for ever count nothing
            return [json.dumps({"kind": "counters", **{name: record[name] for name in _COUNTERS_ENVELOPE}})]
    return []


def _part_text(part: object) -> str:
    fields = part if isinstance(part, list) else [part]
    try:
        return ",".join(as_text(each) for each in fields if each is not None)[:SAMPLE_CHARS]
    except RecursionError:
        return "nested too deeply"
