"""Decides which offsets group offset sync sets on the target: forward only, and never in a group that has members."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from replication.domain.groups.consumer_group import Commit, Commits, GroupDescription, GroupProblem
from replication.domain.groups.group_summary import SyncedWord
from replication.domain.groups.translation import LogRange, UncopiedRange
from replication.domain.identifiers import TopicPartition

_BY_ATTENTION: tuple[SyncedWord, ...] = ("off", "level", "written", "ahead", "waits_for_members", "refused")
# A coordinator refuses a commit from outside while the group has members; the code depends on the protocol.
HAS_MEMBERS_CODES = frozenset(
    {"UNKNOWN_MEMBER_ID", "STALE_MEMBER_EPOCH", "ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "NON_EMPTY_GROUP"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlace:
    """The place of a group in a remote partition, as its newest checkpoint has it.

    `rereads` is the most records that the group reads again from there; None where that is unknown. `is_rewound`: the
    group has set its offset back on the source. `uncopied` are unread records that have no copy.
    """

    upstream: TopicPartition
    downstream: int
    metadata: str = ""
    rereads: int | None = 0
    is_rewound: bool = False
    uncopied: UncopiedRange | None = None


Places = Mapping[TopicPartition, GroupPlace]  # by remote partition


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetGroup:
    """A group as the target has it. A problem is a refusal of its coordinator."""

    description: GroupDescription | GroupProblem
    commits: Commits | GroupProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionSync:
    """The decision about one remote partition: `after` is the commit to set, None if none is set."""

    remote: TopicPartition
    place: GroupPlace
    state: SyncedWord
    before: int | None = None
    after: Commit | None = None
    problem: GroupProblem | None = None  # of the state refused


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSyncDecision:
    """The decision about one group, with a part per partition."""

    group: str
    partitions: tuple[PartitionSync, ...]

    @property
    def writes(self) -> dict[TopicPartition, Commit]:
        return {each.remote: each.after for each in self.partitions if each.after is not None}

    @property
    def state(self) -> SyncedWord:
        return worst_state(each.state for each in self.partitions)


def worst_state(states: Iterable[SyncedWord]) -> SyncedWord:
    """Return the state that needs most attention; `off` without any."""
    return max(states, key=_BY_ATTENTION.index, default="off")


def decide_group_sync(
    group: str, places: Places, target: TargetGroup, logs: Mapping[TopicPartition, LogRange]
) -> GroupSyncDecision:
    """Return the offsets to set for a group.

    `logs` are those of the remote partitions as far as they are known. A group that does not exist on the target, or
    whose offsets have expired there, gets all its places.
    """
    obstacle = _obstacle(target)
    commits = {} if isinstance(target.commits, GroupProblem) else target.commits
    parts = []
    for remote, place in sorted(places.items()):
        found = commits.get(remote)
        before = None if found is None or found.offset < 0 else found.offset
        if obstacle is not None:
            state, problem = obstacle
            parts.append(PartitionSync(remote=remote, place=place, before=before, state=state, problem=problem))
        else:
            parts.append(_decide(remote, place, before, logs.get(remote)))
    return GroupSyncDecision(group=group, partitions=tuple(parts))


def after_alter(
    decision: GroupSyncDecision, results: Mapping[TopicPartition, GroupProblem | None]
) -> GroupSyncDecision:
    """Return what became of the decision: a partition that the coordinator refused keeps its offset."""
    return GroupSyncDecision(
        group=decision.group, partitions=tuple(_after(each, results) for each in decision.partitions)
    )


def _obstacle(target: TargetGroup) -> tuple[SyncedWord, GroupProblem | None] | None:
    description, commits = target.description, target.commits
    if isinstance(description, GroupProblem):
        return "refused", description
    if description.members > 0 or description.state in ("active", "rebalancing"):
        return "waits_for_members", None
    if description.type == "share":
        return "refused", GroupProblem("GROUP_ID_NOT_FOUND", "a share group of this name exists there")
    if isinstance(commits, GroupProblem):
        return "refused", commits
    return None


def _decide(remote: TopicPartition, place: GroupPlace, before: int | None, log: LogRange | None) -> PartitionSync:
    wanted = place.downstream if log is None else max(place.downstream, log.start)
    if before is not None and before >= wanted:
        state: SyncedWord = "level" if before == wanted else "ahead"
        return PartitionSync(remote=remote, place=place, before=before, state=state)
    if log is not None and wanted > log.end:
        text = f"the remote log ends at {log.end}, before the group's place: it was truncated or created again"
        problem = GroupProblem("OFFSET_OUT_OF_RANGE", text)
        return PartitionSync(remote=remote, place=place, before=before, state="refused", problem=problem)
    commit = Commit(wanted, place.metadata)
    return PartitionSync(remote=remote, place=place, before=before, after=commit, state="written")


def _after(part: PartitionSync, results: Mapping[TopicPartition, GroupProblem | None]) -> PartitionSync:
    if part.after is None:
        return part
    problem = results.get(part.remote, GroupProblem("UNKNOWN_SERVER_ERROR", "the coordinator did not answer"))
    if problem is None:
        return part
    if problem.code in HAS_MEMBERS_CODES:
        return PartitionSync(remote=part.remote, place=part.place, before=part.before, state="waits_for_members")
    return PartitionSync(remote=part.remote, place=part.place, before=part.before, state="refused", problem=problem)
