"""Translates a committed offset to the remote partition: exactly, within bounds, or not at all.

The translated offset is that of the first record that the group has not read. It never passes an unread record, never
lies beyond the end of the remote log and never below its start.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from replication.domain.offsets.positions import NO_TOPIC_ID

TranslationKind = Literal["exact", "bounded", "impossible"]
TranslationReason = Literal[
    "inside_run",
    "between_runs",
    "at_the_tip",
    "before_source_start",
    "in_gap",
    "below_remote_start",
    "copy_behind",
    "sync_only",
    "missing_runs",
    "not_returned",
    "no_evidence",
    "topic_recreated",
    "remote_topic_missing",
    "remote_unavailable",
    "remote_truncated",
    "beyond_source_end",
    "beyond_remote_end",
]
REASON_TEXTS: Mapping[TranslationReason, str] = {
    "inside_run": "an offset run names the place of this record",
    "between_runs": "the flow copied no record between this offset and the next one on the target",
    "at_the_tip": "the flow has copied everything before this offset, and nothing behind it",
    "before_source_start": "the source deleted the records from this offset on; the next ones are on the target",
    "in_gap": "the flow did not copy the records at this offset; the next ones are on the target",
    "below_remote_start": "the target deleted the copies at this offset; reading continues at the start of its log",
    "copy_behind": "the flow has not copied everything before this offset yet; what it copies until then is read again",
    "sync_only": "no offset run covers this offset; offset syncs give its bounds",
    "missing_runs": "the offset runs around this offset are missing; those before and behind it give its bounds",
    "not_returned": "the flow the other way has not told yet which records of the target it has copied; those behind "
    "this place may be unread",
    "no_evidence": "no offset run, position or offset sync says where the flow copied this partition",
    "topic_recreated": "the source topic was created again, and the flow has not copied the new one yet",
    "remote_topic_missing": "the remote topic or partition does not exist",
    "remote_unavailable": "the remote partition exists, and has no leader that answers",
    "remote_truncated": "the remote log is shorter than what was copied; wait until the flow has compared it",
    "beyond_source_end": "the offset lies behind the end of the source's log",
    "beyond_remote_end": "the offset lies behind the end of the remote log",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRange:
    """The first and the next offset of a partition's log, and the id of its topic where that is known."""

    start: int
    end: int
    topic_id: bytes = NO_TOPIC_ID


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """The place of an offset in the partition on the other side.

    `downstream` is safe to continue from: nothing unread lies before it. Of a bounded translation, `latest` is the
    upper bound of the exact place; at most `rereads` records come again, None where that is unknown. An impossible
    one has none of the three. Of a translation back, `downstream` and `latest` are offsets of the source.
    `copied_from` is the offset on the source of the first record with a copy, of the reason `in_gap` if it is known.
    """

    kind: TranslationKind
    reason: TranslationReason
    downstream: int | None = None
    latest: int | None = None
    rereads: int | None = 0
    copied_from: int | None = None

    @property
    def text(self) -> str:
        """The reason in words for people."""
        return REASON_TEXTS[self.reason]


def impossible(reason: TranslationReason) -> Translation:
    """Return the answer that there is no place."""
    return Translation(kind="impossible", reason=reason, rereads=None)


def exact(
    reason: TranslationReason, downstream: int, *, rereads: int = 0, copied_from: int | None = None
) -> Translation:
    """Return the one place; `rereads` counts records that the flow copies a second time."""
    return Translation(kind="exact", reason=reason, downstream=downstream, rereads=rereads, copied_from=copied_from)


@dataclass(frozen=True, slots=True, kw_only=True)
class UncopiedRange:
    """Consecutive records of the source without a copy: from `first` up to the one before `following`.

    `following` is None where it is not known.
    """

    first: int
    following: int | None

    @property
    def count(self) -> int | None:
        """The number of offsets; compaction may have removed records among them."""
        return None if self.following is None else max(0, self.following - self.first)

    @property
    def text(self) -> str:
        """The range in words, as the subject and the verb of a sentence."""
        if self.following is None:
            return f"the first records from {self.first} on have"
        if self.following - self.first <= 1:
            return f"the record {self.first} has"
        return f"the records {self.first} to {self.following - 1} have"


def bounded(reason: TranslationReason, downstream: int, latest: int, rereads: int | None) -> Translation:
    """Return the place by its bounds."""
    return Translation(kind="bounded", reason=reason, downstream=downstream, latest=latest, rereads=rereads)
