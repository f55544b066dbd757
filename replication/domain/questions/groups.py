"""Questions about consumer groups: their partitions, group offset sync now, and translations of any place."""

from dataclasses import dataclass
from typing import Literal

from replication.domain.groups.consumer_group import GroupState, GroupType
from replication.domain.groups.group_summary import GroupCause, Readiness, SkippedGroup
from replication.domain.groups.translation import TranslationKind, TranslationReason

Direction = Literal["to_target", "to_source"]
ReceiptState = Literal["written", "unchanged", "refused", "impossible"]
GroupsPart = Literal["source", "target", "copy_logs", "checkpoints"]
MOST_PLACES = 1_000  # of one question to translate
MOST_GROUPS = 500  # of one question by name


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlookedGroups:
    """A part of the answer that is not known, and why."""

    part: GroupsPart
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionPlace:
    """A partition of a group: where it is on the source, and where it continues on the target.

    Offsets are None where they are unknown or do not exist; without a commit there is no translation. While the source
    does not tell the group's offset, `is_read` is False and the checkpoint is the last known place.
    """

    topic: str
    partition: int
    remote: str | None = None
    committed: int | None = None
    metadata: str = ""
    log_start: int | None = None
    log_end: int | None = None
    kind: TranslationKind | None = None
    reason: TranslationReason | None = None
    evidence: str = ""  # the translation in words
    downstream: int | None = None
    latest: int | None = None
    rereads: int | None = None
    remote_start: int | None = None
    remote_end: int | None = None
    mm2_downstream: int | None = None  # the translation that MirrorMaker 2 makes of the flow's offset syncs
    checkpoint: int | None = None  # downstream, in the checkpoints topic
    checkpoint_upstream: int | None = None
    checkpoint_ms: int | None = None
    target_committed: int | None = None
    is_read: bool = True  # the source told the group's offset


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlaces:
    """A group with its partitions as the clusters have them now."""

    group: str
    type: GroupType
    state: GroupState
    readiness: Readiness
    causes: tuple[GroupCause, ...] = ()
    partitions: tuple[PartitionPlace, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPartitions:
    """The answer to `group_partitions`."""

    source: str
    target: str
    groups: tuple[GroupPlaces, ...]
    unlooked: tuple[UnlookedGroups, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReceipt:
    """The effect of group offset sync on one partition.

    The sync skips nothing. `skips` counts unread records that the group would not read on the target: those without a
    copy, which `text` names, and those that the group's offset there is ahead of; None if the number is not known.
    """

    group: str
    topic: str  # on the target
    partition: int
    state: ReceiptState
    text: str
    before: int | None = None
    after: int | None = None
    rereads: int | None = None
    skips: int | None = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReceipts:
    """The answer to `sync_groups`; a dry run has written nothing.

    `items` are the first receipts, those that are not `unchanged` before the others; `counts` has the number of all by
    state. `skipped` are groups that the flow does not translate, and why.
    """

    source: str
    target: str
    items: tuple[SyncReceipt, ...]
    counts: dict[str, int]
    dry_run: bool = False
    skipped: tuple[SkippedGroup, ...] = ()
    unlooked: tuple[UnlookedGroups, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceToTranslate:
    """A place in a partition, by offset or by time. The topic is named as on the source, or as on the target."""

    topic: str
    partition: int
    direction: Direction = "to_target"
    offset: int | None = None
    timestamp_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatedPlace:
    """A translated place, with the evidence in words. `given_offset` is the offset asked for, or that of the time."""

    topic: str  # upstream
    partition: int
    direction: Direction
    kind: TranslationKind
    reason: TranslationReason | None
    evidence: str
    remote: str | None = None
    timestamp_ms: int | None = None
    given_offset: int | None = None
    offset: int | None = None
    latest: int | None = None
    rereads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Translations:
    """The answer to `translate`, in the order of the places."""

    source: str
    target: str
    items: tuple[TranslatedPlace, ...]
    unlooked: tuple[UnlookedGroups, ...] = ()
