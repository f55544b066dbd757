"""The summary of a flow's consumer groups that a checkpoint task publishes after each round (docs/contracts/groups.md).

The service reads it. A group that cannot be read is skipped with the reason, and hides no other.
"""

import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from replication.domain.desired.json_reader import FieldError
from replication.domain.groups.consumer_group import GroupState, GroupType
from replication.domain.json_documents import read_json
from replication.domain.questions.json_shape import from_plain, to_plain

SUMMARY_VERSION = 1
SUMMARY_LIFE_MS = 180_000
SUMMARY_REFRESH_MS = 30_000  # rewritten at least so often, also without a new round
MOST_CAUSES = 5
_MOST_BYTES = 256 * 1_024 * 1_024  # of a decompressed summary: about 200,000 groups
_QUICK = 1  # zlib's level: the summary is rewritten every few seconds

Readiness = Literal["ready", "approximate", "blocked"]
SyncedWord = Literal["level", "written", "waits_for_members", "ahead", "off", "refused"]


class SummaryError(ValueError):
    """The document is not a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCause:
    """A cause why a group is not ready, and the remedy. The codes are declared in readiness.py.

    `readiness` is what this cause leaves; without topic it concerns the whole group.
    """

    code: str
    text: str
    remedy: str
    topic: str | None = None  # upstream
    partition: int | None = None
    readiness: Readiness = "blocked"
    more_partitions: int = 0  # others of the group that have this cause too


@dataclass(frozen=True, slots=True, kw_only=True)
class IfSourceGone:
    """The readiness that the group would have if the source were gone now."""

    readiness: Readiness
    rereads: int | None = None
    causes: tuple[GroupCause, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSummary:
    """A consumer group of a flow. Counts are of partitions; `causes` are the most important first."""

    group: str
    type: GroupType
    state: GroupState
    readiness: Readiness
    partitions: int
    exact: int
    bounded: int
    impossible: int
    uncommitted: int
    members: int | None = None
    target_state: GroupState | None = None
    target_members: int | None = None
    lag: int | None = None  # records between the commits and the ends of the source's logs
    rereads: int | None = None  # records that come again at the target, at most
    reread_bytes: int | None = None
    reread_ms: int | None = None
    checkpoint_ms: int | None = None  # time of the newest checkpoint
    synced_ms: int | None = None
    synced: SyncedWord | None = None
    causes: tuple[GroupCause, ...] = ()
    if_source_gone: IfSourceGone | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedGroup:
    """A group that the flow does not translate, and why."""

    group: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncTimes:
    """The group offset sync of a flow; the effective interval is the longer of the two."""

    enabled: bool
    interval_ms: int
    effective_interval_ms: int
    last_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsSummary:
    """The groups of one checkpoint task after its last round."""

    task: str
    driver: str
    boot: str
    generation: int
    round_ms: int  # start of the last round
    took_ms: int
    interval_ms: int
    requests: int
    sent_ms: int
    sync: SyncTimes
    groups: tuple[GroupSummary, ...] = ()
    skipped: tuple[SkippedGroup, ...] = ()
    v: int = SUMMARY_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCounts:
    """The number of groups by readiness. Checkpoint tasks report it in `groups` of their live state."""

    total: int = 0
    ready: int = 0
    approximate: int = 0
    blocked: int = 0


def group_counts(readiness: Iterable[Readiness]) -> GroupCounts:
    """Return the counts of groups with these words."""
    words = list(readiness)
    return GroupCounts(
        total=len(words),
        ready=words.count("ready"),
        approximate=words.count("approximate"),
        blocked=words.count("blocked"),
    )


def summary_to_bytes(summary: GroupsSummary) -> bytes:
    return zlib.compress(json.dumps(to_plain(summary), separators=(",", ":")).encode(), _QUICK)


def summary_from_bytes(data: bytes) -> GroupsSummary:
    """Return the summary; groups that cannot be read are among the skipped. Raises SummaryError."""
    document = _document(data)
    rows, skipped = document.get("groups"), document.get("skipped")
    if not isinstance(rows, list) or not isinstance(skipped, list):
        raise SummaryError("groups or skipped is no list")
    groups: list[GroupSummary] = []
    left: list[SkippedGroup] = []
    for row in rows:
        try:
            groups.append(from_plain(GroupSummary, row, "groups"))
        except FieldError as error:
            left.append(SkippedGroup(group=_name(row), reason=f"its summary cannot be read: {error}"))
    left += [SkippedGroup(group=_name(row), reason=_text(row, "reason")) for row in skipped]
    try:
        head = from_plain(GroupsSummary, {**document, "groups": [], "skipped": []})
    except FieldError as error:
        raise SummaryError(str(error)) from error
    return replace(head, groups=tuple(groups), skipped=tuple(left))


def _document(data: bytes) -> dict[str, object]:
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(data, _MOST_BYTES)
        document = read_json(text)
    except (zlib.error, ValueError) as error:
        raise SummaryError(f"it is no compressed JSON: {error}") from error
    if not isinstance(document, dict):
        raise SummaryError(f"expected an object, got {type(document).__name__}")
    version = document.get("v")
    if not isinstance(version, int) or version > SUMMARY_VERSION:
        raise SummaryError(f"it has version {version!r}, this release reads {SUMMARY_VERSION}")
    return document


def _name(row: object) -> str:
    return _text(row, "group")


def _text(row: object, name: str) -> str:
    value = row.get(name) if isinstance(row, dict) else None
    return value if isinstance(value, str) else "?"
