"""Receipts of group offset sync: what was set for each partition of a group, or why nothing was."""

from replication.domain.groups.judgement.group_partition import comes_again
from replication.domain.groups.sync.group_sync import GroupPlace, GroupSyncDecision, PartitionSync
from replication.domain.identifiers import TopicPartition
from replication.domain.questions.groups import ReceiptState, SyncReceipt
from replication.domain.sentences import sentence


def receipts_of(decision: GroupSyncDecision, target: str, *, dry_run: bool) -> tuple[SyncReceipt, ...]:
    """Return a receipt for each partition of the decision; after the fact, unless it is a dry run."""
    return tuple(_receipt(decision.group, each, target, dry_run=dry_run) for each in decision.partitions)


def receipt_without_place(
    group: str, place: TopicPartition, before: int | None, why: str, state: ReceiptState
) -> SyncReceipt:
    """Return the receipt of a partition (remote, or upstream without a copy) in which no place can be set."""
    return SyncReceipt(
        group=group,
        topic=place.topic,
        partition=place.partition,
        before=before,
        after=before,
        rereads=None,
        skips=0,
        state=state,
        text=sentence(why),
    )


def _receipt(group: str, part: PartitionSync, target: str, *, dry_run: bool) -> SyncReceipt:
    is_written = part.after is not None
    place = part.place
    text = _written_text(part, dry_run=dry_run) if is_written else _text(part, target)
    return SyncReceipt(
        group=group,
        topic=part.remote.topic,
        partition=part.remote.partition,
        before=part.before,
        after=part.after.offset if part.after is not None else part.before,
        rereads=_rereads(part),
        skips=_skips(part),
        state=_state(part),
        text=sentence("; ".join(part for part in (text, _uncopied_text(place, target)) if part)),
    )


def _rereads(part: PartitionSync) -> int | None:
    """Records that come again if the group starts now: those of the place, and those that the target is behind it."""
    place = part.place
    if part.after is not None:
        return place.rereads
    if part.before is None or place.rereads is None:
        return None
    return max(0, place.downstream + place.rereads - part.before)


def _skips(part: PartitionSync) -> int | None:
    """Unread records that the group does not read: those without a copy, and those that its offset is ahead of."""
    uncopied = 0 if part.place.uncopied is None else part.place.uncopied.count
    ahead = part.before - part.place.downstream if part.state == "ahead" and part.before is not None else 0
    return None if uncopied is None else uncopied + max(0, ahead)


def _state(part: PartitionSync) -> ReceiptState:
    if part.after is not None:
        return "written"
    return "unchanged" if part.state in ("level", "ahead") else "refused"


def _written_text(part: PartitionSync, *, dry_run: bool) -> str:
    verb = "it would be set" if dry_run else "it was set"
    before = "no offset" if part.before is None else str(part.before)
    offset = None if part.after is None else part.after.offset
    skipped = "none is skipped" if part.place.uncopied is None else "no record with a copy is skipped"
    return f"{verb} from {before} to {offset}; {comes_again(part.place.rereads)}, {skipped}"


def _uncopied_text(place: GroupPlace, target: str) -> str:
    if place.uncopied is None:
        return ""
    return f"{place.uncopied.text} no copy on {target} in {place.upstream}: let the group read them on the source first"


def _text(part: PartitionSync, target: str) -> str:
    match part.state:
        case "level":
            return f"the offset on {target} is the group's place already"
        case "ahead" if part.place.is_rewound:
            return (
                f"the group was rewound on the source to the place {part.place.downstream}; its offset on {target} "
                f"does not move back: set it there if the group shall read these records again on {target}"
            )
        case "ahead":
            return (
                f"the offset on {target} is ahead of the group's place {part.place.downstream}, and stays: the group "
                f"has worked there, someone has set it, or the group was rewound on the source"
            )
        case "waits_for_members":
            return f"the group has members on {target}: stop them, and repeat the sync"
        case _:
            return "refused" if part.problem is None else part.problem.text
