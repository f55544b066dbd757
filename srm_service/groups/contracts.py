"""The shapes of consumer groups in answers; `None` always means unknown."""

from dataclasses import dataclass
from typing import Annotated

from replication.domain.groups.group_summary import GroupCounts, GroupSummary, SkippedGroup, SyncTimes
from replication.domain.questions.groups import GroupPlaces, SyncReceipt, UnlookedGroups
from srm_service.core.contracts import Partial


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerGroupNow(GroupSummary):
    """A consumer group after the last round of its checkpoint task."""

    checked_ms: Annotated[int, "start of the round in which it was translated last"]
    interval_ms: Annotated[int, "between two rounds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowGroups:
    """The consumer groups of a flow, by name."""

    groups: tuple[ConsumerGroupNow, ...] = ()
    skipped: tuple[SkippedGroup, ...] = ()
    counts: GroupCounts | None = None
    sync: SyncTimes | None = None
    partial: tuple[Partial, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptCounts:
    """The number of partitions by the state of their receipt."""

    written: int = 0
    unchanged: int = 0
    refused: int = 0
    impossible: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlacesNow(GroupPlaces):
    """The partitions of a group, as the clusters have them at the time of the request."""

    source: str
    target: str
    unlooked: Annotated[tuple[UnlookedGroups, ...], "what did not answer, and why"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReceiptsNow:
    """The effect of a group offset sync at once; a dry run has written nothing."""

    source: str
    target: str
    dry_run: bool
    counts: Annotated[ReceiptCounts, "of all partitions"]
    items: Annotated[tuple[SyncReceipt, ...], "the first receipts, those that are not `unchanged` before the others"]
    skipped: Annotated[tuple[SkippedGroup, ...], "groups that the flow does not translate, and why"]
    unlooked: Annotated[tuple[UnlookedGroups, ...], "what did not answer, and why"]
