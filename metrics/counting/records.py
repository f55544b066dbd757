"""Turns Kafka rows into validated records: new, repeated or bad. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple, NoReturn

import orjson

from metrics.counting.group_rows import SeqKey
from metrics.counting.parts import is_name
from metrics.schemas import ANY_PARTITION, RAW_KINDS, RAW_VERSION, SIDE_KINDS

SAMPLE_CHARS = 500
# A clock outside of these years is broken; its tiles would be beyond any retention.
_MIN_MS, _MAX_MS = 1_000_000_000_000, 4_102_444_800_000
_MAX_BIGINT = (1 << 63) - 1

_TEXTS = ("kind", "source", "target", "task", "driver", "boot", "topic", "topic_id", "cause", "policy")
_NUMBERS = (
    *("v", "generation", "seq", "from_ms", "to_ms", "partition", "from_offset", "to_offset"),
    *("count", "detected_ms"),
)
_NUMBERED_KINDS = frozenset(("task", *SIDE_KINDS))
_GAP_NEEDS = (
    *("source", "target", "topic", "topic_id", "partition", "cause", "from_offset"),
    *("detected_ms", "policy"),
)
_NO_RECORD = "not a raw metrics record"

RawRecord = Mapping[str, Any]  # Any: JSON values


class RawRow(NamedTuple):
    """A record of a raw metrics topic as Kafka has it; None is a tombstone."""

    topic: str
    partition: int
    offset: int
    value: bytes | bytearray | None


@dataclass(slots=True)
class ValidatedRecord:
    """A record and the result of its validation; `record` may be empty, `problem` is None when it is sound."""

    row: RawRow
    text: str
    record: RawRecord
    problem: str | None
    fresh: bool = False  # sound, above what was counted of its task and boot there, and the first with its seq

    @property
    def is_numbered(self) -> bool:
        """Return True for a sound record that carries its task, boot and seq."""
        return self.problem is None and self.record["kind"] in _NUMBERED_KINDS


def validated_records(
    rows: Iterable[RawRow],
    target: str,
    next_offsets: Mapping[tuple[str, int], int],
    last_seqs: Mapping[SeqKey, int],
) -> Iterator[ValidatedRecord]:
    """Rows from the ledger on, in raw order: a batch that is read again after its commit adds nothing.

    A task writes one raw partition (the key is its id), until partitions are added: then its records lie in two of
    them, and a batch may bring the older ones of one after the newer ones of the other. So each has its own guard.
    """
    seen: set[tuple[str, str, str, int]] = set()
    for row in sorted(rows, key=itemgetter(0, 1, 2)):
        if row.offset < next_offsets.get((row.topic, row.partition), 0):
            continue
        found = _validated(row, target)
        if found.is_numbered:
            record = found.record
            task, boot, seq = record["task"], record["boot"], record["seq"]
            of_all = last_seqs.get(SeqKey(task, boot, ANY_PARTITION), -1)
            is_first = (record["kind"], task, boot, seq) not in seen
            found.fresh = is_first and seq > last_seqs.get(SeqKey(task, boot, row.partition), of_all)
            seen.add((record["kind"], task, boot, seq))
        yield found


def _validated(row: RawRow, target: str) -> ValidatedRecord:
    text = "" if row.value is None else row.value.decode("utf-8", "replace")
    try:
        record = parsed_record(text)
    except (ValueError, RecursionError):
        return ValidatedRecord(row, text, {}, _NO_RECORD)
    return ValidatedRecord(row, text, record, _problem(record, text, target))


def parsed_record(text: str) -> RawRecord:
    """Return the object that a text holds, its known fields of the right kind. Raises ValueError, RecursionError."""
    if "\\ud" in text or "\\uD" in text:  # half a surrogate pair is no UTF-8, so no database would store it
        text = json.dumps(_DECODER.decode(text), ensure_ascii=False).encode("utf-8", "replace").decode()
    record = orjson.loads(text)
    if not isinstance(record, dict) or record.get("kind") is None:
        raise ValueError("no record")
    found = record.get
    if not all(value is None or is_name(value) for value in map(found, _TEXTS)):
        raise ValueError("no text, or one that is too long")
    if not all(value is None or is_number(value, -_MAX_BIGINT, _MAX_BIGINT) for value in map(found, _NUMBERS)):
        raise ValueError("no whole number")
    return record


def is_number(value: object, least: int, most: int) -> bool:
    """Return True for a whole number within bounds; true and false are none."""
    return type(value) is int and least <= value <= most


def _refused(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refused)


def _problem(record: RawRecord, text: str, target: str) -> str | None:
    kind = record["kind"]
    if "\\u0000" in text:  # which PostgreSQL cannot store
        return "holds a NUL"
    if record.get("v") != RAW_VERSION:
        return "unknown version"
    if kind not in RAW_KINDS:
        return "unknown kind"
    if kind in _NUMBERED_KINDS:
        return _envelope_problem(record, target) or (_body_problem(record) if kind == "task" else None)
    if kind == "gap" and any(record.get(name) is None for name in _GAP_NEEDS):
        return "incomplete gap"
    return None


def _envelope_problem(record: RawRecord, target: str) -> str | None:
    found = record.get
    seq, from_ms, to_ms = found("seq"), found("from_ms"), found("to_ms")
    named = found("source") and found("task") and found("boot")
    if not named or seq is None or seq < 0 or from_ms is None or to_ms is None:
        return "incomplete envelope"
    if from_ms > to_ms or not _MIN_MS <= to_ms <= _MAX_MS:
        return "incomplete envelope"
    return None if found("target") == target else "written for another target"


def _body_problem(record: RawRecord) -> str | None:
    topics, parts, counters = record.get("topics"), record.get("parts"), record.get("counters")
    if topics is None or parts is None:
        return "no topics or parts"
    is_sound = isinstance(topics, list) and isinstance(parts, list) and isinstance(counters, dict | None)
    return None if is_sound else _NO_RECORD
