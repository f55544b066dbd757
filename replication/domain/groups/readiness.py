"""Readiness of consumer groups: the closed set of causes, each with its effect, its text and its remedy."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from replication.domain.groups.group_summary import MOST_CAUSES, GroupCause, Readiness
from replication.domain.sentences import sentence

CauseCode = Literal[
    "taken_by_another_flow",
    "share_group",
    "missing_rights",
    "subscription_misses_remote",
    "streams_internal_topics",
    "not_replicated",
    "topic_recreated",
    "no_evidence",
    "behind_retention",
    "not_copied",
    "commit_out_of_range",
    "active_on_target",
    "ahead_on_target",
    "not_set_on_target",
    "source_unreachable",
    "group_deleted_at_source",
    "no_commit",
    "copy_behind",
    "sync_refused",
    "read_records_follow",
    "bounded_only",
    "checkpoint_old",
]
_WEIGHT: dict[Readiness, int] = {"ready": 0, "approximate": 1, "blocked": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseKind:
    """A cause and the readiness that it leaves; text and remedy have places for the names of the case."""

    code: CauseCode
    readiness: Readiness
    text: str
    remedy: str


# The order is that of importance: the first cause of a group is the one to remove first.
CAUSE_KINDS: tuple[CauseKind, ...] = (
    CauseKind(
        code="taken_by_another_flow",
        readiness="blocked",
        text="the flow {flow} writes this group's offsets of {topics} on {target}",
        remedy="exclude the group or the topics from one of the two flows",
    ),
    CauseKind(
        code="share_group",
        readiness="blocked",
        text="it is a share group: its state is a set of records, and not one offset per partition",
        remedy="start it on {target} with share.auto.offset.reset, or by time",
    ),
    CauseKind(
        code="missing_rights",
        readiness="blocked",
        text="{detail}",
        remedy="{grant}",
    ),
    CauseKind(
        code="subscription_misses_remote",
        readiness="blocked",
        text="{detail}",
        remedy="subscribe to a pattern that matches both names, such as .*{topic}, or to {remote}",
    ),
    CauseKind(
        code="streams_internal_topics",
        readiness="blocked",
        text="it is a Streams application; not copied under their own names: {missing}",
        remedy="copy these topics with identity names, or rebuild the state stores on {target} from the input topics",
    ),
    CauseKind(
        code="not_replicated",
        readiness="blocked",
        text="{where} has no copy on {target}: {reason}",
        remedy="add the topic to the flow, or delete the group's offsets of it if it is not read any more",
    ),
    CauseKind(
        code="topic_recreated",
        readiness="blocked",
        text="{where}: the topic was created again, and the group's offset belongs to the former one",
        remedy="start the group on {source} once so that it commits an offset of the present topic",
    ),
    CauseKind(
        code="no_evidence",
        readiness="blocked",
        text="{where}: {detail}",
        remedy="wait until the flow has copied records of the partition, and check that the flow runs",
    ),
    CauseKind(
        code="behind_retention",
        readiness="blocked",
        text="{where}: {detail}",
        remedy="{advice}",
    ),
    CauseKind(
        code="not_copied",
        readiness="blocked",
        text="{where}: {records} no copy; later records are on {target} from {place} on",
        remedy="let the group read them on {source} first; nothing is missing if compaction left no record there",
    ),
    CauseKind(
        code="commit_out_of_range",
        readiness="blocked",
        text="{where}: the committed offset {committed} is beyond the end of the log of {source} ({end})",
        remedy="reset the group's offset on {source}; the consumers' auto.offset.reset decides until then",
    ),
    CauseKind(
        code="active_on_target",
        readiness="blocked",
        text="the group has {members} member(s) on {target}, which commit their own offsets there",
        remedy="stop the members on {target}; the offsets are caught up within one period after the last one left",
    ),
    CauseKind(
        code="ahead_on_target",
        readiness="blocked",
        text="{where}: the offset on {target} ({target_offset}) is {ahead} ahead of the group's place ({place}): the "
        "group skips what it has not read there",
        remedy="nothing if the group has worked on {target}; else set its offset there to {place}",
    ),
    CauseKind(
        code="not_set_on_target",
        readiness="blocked",
        text="{where}: {detail}, and group offset sync is off",
        remedy="sync the group before it starts on {target}, or set {setting}=true; "
        "nothing if its consumers go to their checkpoints by themselves",
    ),
    CauseKind(
        code="source_unreachable",
        readiness="approximate",
        text="{source} does not answer: commits after {since} are not known",
        remedy="restore the connection to {source}, or continue with the newest checkpoints",
    ),
    CauseKind(
        code="group_deleted_at_source",
        readiness="approximate",
        text="the group does not exist on {source} any more; its copy on {target} stays as it is",
        remedy="delete the group on {target} too if it is not used any more",
    ),
    CauseKind(
        code="no_commit",
        readiness="approximate",
        text="{where}: no committed offset; the consumers' auto.offset.reset decides where they start",
        remedy="let the group commit an offset of the partition, or set one",
    ),
    CauseKind(
        code="copy_behind",
        readiness="approximate",
        text="{where}: {detail}",
        remedy="wait until the flow has caught up",
    ),
    CauseKind(
        code="sync_refused",
        readiness="approximate",
        text="{where}: its offset is not set on {target}: {problem}",
        remedy="export the group's offsets and set them by hand, or remove the reason",
    ),
    CauseKind(
        code="read_records_follow",
        readiness="approximate",
        text="{where}: records that the group has read lie behind its place too; {again}",
        remedy="nothing is skipped; the consumers must allow for records that come twice",
    ),
    CauseKind(
        code="bounded_only",
        readiness="approximate",
        text="{where}: the place is known within bounds; {again}",
        remedy="nothing is skipped; the place is exact when the group has passed records that this flow has copied",
    ),
    CauseKind(
        code="checkpoint_old",
        readiness="approximate",
        text="the group was translated last {age} ago; a round is due every {interval}",
        remedy="check the flow's checkpoint task",
    ),
)
_KINDS = {kind.code: kind for kind in CAUSE_KINDS}
_RANKS: dict[str, int] = {kind.code: rank for rank, kind in enumerate(CAUSE_KINDS)}


def cause(
    code: CauseCode,
    /,
    *,
    at: tuple[str, int | None] | None = None,
    readiness: Readiness | None = None,
    **names: object,
) -> GroupCause:
    """Return the cause with its texts filled; `at` names upstream topic and partition.

    `readiness` replaces the usual effect of the cause. KeyError if a name of its texts is missing.
    """
    kind = _KINDS[code]
    topic, partition = (None, None) if at is None else at
    where = topic if partition is None else f"{topic}-{partition}"
    filled = {"where": where, **names}
    spelled = tuple(map(str, filled.values()))
    return GroupCause(
        code=code,
        text=sentence(kind.text.format_map(filled), *spelled),
        remedy=sentence(kind.remedy.format_map(filled), *spelled),
        topic=topic,
        partition=partition,
        readiness=kind.readiness if readiness is None else readiness,
    )


def readiness_of(causes: Iterable[GroupCause]) -> Readiness:
    """Return the worst readiness that the causes leave; ready without any."""
    return max((each.readiness for each in causes), key=_WEIGHT.__getitem__, default="ready")


def most_important(causes: Iterable[GroupCause]) -> tuple[GroupCause, ...]:
    """Return the first causes by importance; each says how many more partitions have it, named or not."""
    ordered = by_importance(causes)
    totals = Counter((each.code, each.readiness) for each in ordered if each.partition is not None)
    return tuple(
        each if each.partition is None else replace(each, more_partitions=totals[each.code, each.readiness] - 1)
        for each in ordered[:MOST_CAUSES]
    )


def by_importance(causes: Iterable[GroupCause]) -> tuple[GroupCause, ...]:
    """Return the causes, the most important first: by effect, then in the order of their declaration."""
    return tuple(sorted(causes, key=_order))


def _order(each: GroupCause) -> tuple[int, int, str, int]:
    partition = -1 if each.partition is None else each.partition
    return -_WEIGHT[each.readiness], _RANKS[each.code], each.topic or "", partition
