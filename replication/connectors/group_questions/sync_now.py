"""Answers `sync_groups`: sets the offsets of groups on the target now, with a receipt per partition.

A place is that of a translation made now, or that of the newest checkpoint where it is further and still behind
nothing unread.
"""

from collections import Counter
from collections.abc import Collection, Iterator

from replication.connectors.group_questions.group_inspection import GroupInspection, GroupsSeen, SeenGroup
from replication.connectors.group_questions.group_ports import GroupPorts
from replication.connectors.groups.group_claims import groups_of_others
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.groups.checkpoint_settings import CheckpointSettings
from replication.domain.groups.consumer_group import GroupDescription, GroupProblem
from replication.domain.groups.group_summary import SkippedGroup
from replication.domain.groups.sync.checkpoint_obstacle import checkpoint_obstacle
from replication.domain.groups.sync.claims import taken_cause
from replication.domain.groups.sync.group_sync import Places
from replication.domain.groups.sync.sync_receipt import receipt_without_place, receipts_of
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.questions.groups import ReceiptState, SyncReceipt, SyncReceipts, UnlookedGroups
from replication.tasks.groups.group_offset_sync import sync_once
from replication.tasks.groups.group_round import sync_places
from replication.tasks.groups.taken_groups import causes_of_taken

GROUPS_AT_ONCE = 1_000


def sync_now(
    request: FlowRequest,
    plan: PlanDocument,
    ports: GroupPorts,
    names: Collection[str],
    now_ms: int,
    *,
    dry_run: bool,
) -> SyncReceipts:
    """Set the offsets of these groups (all of the flow without a name), or say what would be set.

    Raises the target's errors, and those of invalid settings.
    """
    chosen, left = _chosen(request, plan, names)
    receipts: list[SyncReceipt] = []
    unlooked: tuple[UnlookedGroups, ...] = ()
    inspection = GroupInspection(request, plan, ports, now_ms)
    inspection.read_checkpoints(chosen)
    for start in range(0, len(chosen), GROUPS_AT_ONCE):
        seen = inspection.at_groups(chosen[start : start + GROUPS_AT_ONCE])
        unlooked = seen.unlooked
        places: dict[str, Places] = {}
        reasons = _reasons(request, plan, seen)
        left += [SkippedGroup(group=name, reason=reason) for name, reason in reasons.items()]
        for name, group in seen.groups.items():
            if name in reasons:
                continue
            places[name] = sync_places(group.facts, _rewound(group))
            receipts += _without_place(group, places[name])
        for decision, _ in sync_once(ports.target, places, seen.view.remote, writes=not dry_run).values():
            receipts += receipts_of(decision, request.id.target, dry_run=dry_run)
    return SyncReceipts(
        source=request.id.source,
        target=request.id.target,
        items=tuple(sorted(receipts, key=lambda each: each.state == "unchanged")[: request.most_names]),
        counts=dict(Counter(each.state for each in receipts)),
        dry_run=dry_run,
        skipped=tuple(left),
        unlooked=unlooked,
    )


def _chosen(request: FlowRequest, plan: PlanDocument, names: Collection[str]) -> tuple[list[str], list[SkippedGroup]]:
    """Divide the wanted groups into those that the flow may translate, and others with the reason.

    A group that the plan skips is chosen: it may have committed since the plan was made.
    """
    accepted = CheckpointSettings.of(request.flow).groups
    reasons = {group: cause.text for group, cause in causes_of_taken(plan).items()}
    chosen: list[str] = []
    left: list[SkippedGroup] = []
    for name in dict.fromkeys(names or sorted(name for slot in plan.groups.slots for name in slot)):
        reason = reasons.get(name, "") if accepted.accepts(name) else "the flow's lists do not allow the group"
        if reason:
            left.append(SkippedGroup(group=name, reason=reason))
        else:
            chosen.append(name)
    return chosen, left


def _reasons(request: FlowRequest, plan: PlanDocument, seen: GroupsSeen) -> dict[str, str]:
    """Return why nothing can be set for some of the groups.

    Groups that are not in the plan have committed since; another flow may have them.
    """
    planned = {name for slot in plan.groups.slots for name in slot}
    skipped = {each.group: each.reason for each in plan.groups.skipped}
    new = {
        name: frozenset(each.upstream.topic for each in group.facts if each.commit is not None)
        for name, group in seen.groups.items()
        if name not in planned
    }
    taken = groups_of_others(plan, new, request.others, seen.view.places.returned)
    reasons = {each.group: taken_cause(each).text for each in taken}
    for name, group in seen.groups.items():
        obstacle = _obstacle(group, request.id.source)
        if obstacle:
            reasons.setdefault(name, skipped.get(name, obstacle))
    return reasons


def _obstacle(group: SeenGroup, source: str) -> str:
    """Return why nothing can be set for the group; empty if something may."""
    described = group.described
    if isinstance(group.commits, GroupProblem):
        return group.commits.text
    if isinstance(described, GroupDescription):
        if described.type == "share":
            return "it is a share group, which has no offset per partition"
        if described.state == "dead" and not group.commits:
            return f"the group does not exist on {source}; its copy stays as it is"
    return "" if any(each.commit is not None for each in group.facts) else f"it has no committed offset on {source}"


def _rewound(group: SeenGroup) -> set[TopicPartition]:
    """Return the remote partitions whose newest checkpoint lies behind the commit on the source."""
    return {
        each.remote
        for each in group.facts
        if each.remote is not None
        and each.remote in group.checkpoints
        and each.commit is not None
        and each.commit.offset < group.checkpoints[each.remote].upstream
    }


def _without_place(group: SeenGroup, places: Places) -> Iterator[SyncReceipt]:
    """The receipts of committed partitions without a place, or with one that must not be set."""
    for each in group.facts:
        if each.commit is None or (each.remote is not None and each.remote in places):
            continue
        obstacle = checkpoint_obstacle(each)
        why = obstacle or (each.absence if each.translation is None else each.translation.text)
        state: ReceiptState = "refused" if obstacle else "impossible"
        yield receipt_without_place(group.name, each.remote or each.upstream, each.target_offset, why, state)
