"""Sets translated offsets on the target for a task's groups, as MirrorMaker does as far as that loses nothing.

Only groups whose places moved, that were not caught up, or that were read long ago are described and read. An offset
that expired on the target, or a group that was deleted there, comes back when it is read again.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from replication.domain.groups.consumer_group import GroupProblem
from replication.domain.groups.group_summary import GroupCause, SyncedWord
from replication.domain.groups.sync.group_sync import (
    GroupSyncDecision,
    Places,
    TargetGroup,
    after_alter,
    decide_group_sync,
)
from replication.domain.groups.sync.sync_causes import causes_of_group, sync_causes
from replication.domain.groups.translation import LogRange
from replication.domain.identifiers import TopicPartition
from replication.ports.groups.group_admin import GroupAdmin

LOOK_AGAIN_MS = 120_000  # at groups that are caught up
UNSET_AGAIN_MS = 30_000  # at groups that a person may sync, while the sync is off
LARGEST_BUDGET_MS = 3_600_000
MOST_GROUPS = 1_000  # that are described, read and set in one go; their answers are held in memory
Logs = Mapping[TopicPartition, LogRange]
_UNSETTLED: frozenset[SyncedWord] = frozenset({"off", "waits_for_members", "refused"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncedGroup:
    """The state of a group on the target when it was read last."""

    target: TargetGroup
    word: SyncedWord
    looked_ms: int
    synced_ms: int | None = None  # the last time that an offset was set, or seen to be set
    findings: tuple[GroupCause, ...] = ()

    @property
    def offsets(self) -> Mapping[TopicPartition, int]:
        """Return the group's offsets on the target."""
        commits = self.target.commits
        return {} if isinstance(commits, GroupProblem) else {each: commit.offset for each, commit in commits.items()}


@dataclass(slots=True)
class _Known:
    """The places that a group was caught up with, and the outcome."""

    places: Places
    state: SyncedGroup
    is_unset: bool = False  # an offset is missing or before the place, and the sync is off


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncRun:
    """One run of the sync: the number of groups that were read, and of offsets set."""

    looked: int = 0
    offsets_set: int = 0
    is_done: bool = True  # False: the time was used up before all groups were read
    groups: Mapping[str, SyncedGroup] = field(default_factory=dict)  # of every group, also if not read


class GroupOffsetSync:
    """The group offset sync of one checkpoint slot. Blocking; for one thread."""

    def __init__(
        self,
        target: GroupAdmin,
        *,
        look_again_ms: int = LOOK_AGAIN_MS,
        clock_ms: Callable[[], int] | None = None,
    ) -> None:
        self._target = target
        self._clock_ms = clock_ms or (lambda: time.monotonic_ns() // 1_000_000)
        self._look_again_ms = look_again_ms
        self._known: dict[str, _Known] = {}

    def run(
        self,
        places: Mapping[str, Places],
        logs: Logs,
        now_ms: int,
        *,
        writes: bool = True,
        budget_ms: int = LARGEST_BUDGET_MS,
    ) -> SyncRun:
        """Catch up the groups on the target, those read longest ago first; without `writes` only read them.

        `places` are those of all groups of the slot that exist on the source; `logs` those of the remote partitions.
        Once `budget_ms` have passed, no further chunk of groups begins: the next run continues with them.
        Raises the errors of GroupAdmin; the groups that were done before it keep their state.
        """
        self._known = {group: known for group, known in self._known.items() if group in places}
        due = [group for group in places if self._is_due(group, places[group], now_ms, writes=writes)]
        due.sort(key=self._looked_ms)
        looked, offsets_set, began_ms = 0, 0, self._clock_ms()
        for chunk in _chunks(due):
            if looked and self._clock_ms() - began_ms >= budget_ms:
                break
            looked += len(chunk)
            wanted = {group: places[group] for group in chunk}
            decisions = sync_once(self._target, wanted, logs, writes=writes)
            for group, (decision, target) in decisions.items():
                offsets_set += len(decision.writes) if writes else 0
                self._note(group, places[group], decision, target, now_ms, writes=writes)
        return SyncRun(looked=looked, offsets_set=offsets_set, is_done=looked == len(due), groups=self.groups)

    @property
    def groups(self) -> Mapping[str, SyncedGroup]:
        """The groups as they were read last."""
        return {group: known.state for group, known in self._known.items()}

    def _looked_ms(self, group: str) -> int:
        known = self._known.get(group)
        return 0 if known is None else known.state.looked_ms

    def _is_due(self, group: str, places: Places, now_ms: int, *, writes: bool) -> bool:
        known = self._known.get(group)
        if known is None or (known.state.word in _UNSETTLED and writes):
            return True
        has_moved = _moved(known.places, places)
        pause_ms = min(UNSET_AGAIN_MS, self._look_again_ms) if known.is_unset and not has_moved else self._look_again_ms
        # a clock that was set back makes a reading due, too
        is_old = not 0 <= now_ms - known.state.looked_ms < pause_ms
        return is_old or (writes and has_moved)

    def _note(
        self,
        group: str,
        places: Places,
        decision: GroupSyncDecision,
        target: TargetGroup,
        now_ms: int,
        *,
        writes: bool,
    ) -> None:
        before = self._known.get(group)
        word: SyncedWord = decision.state if writes else "off"
        is_synced = word in ("written", "level", "ahead")
        earlier = None if before is None else before.state.synced_ms
        alias = self._target.alias
        findings = sync_causes(decision, target, alias) if writes else causes_of_group(group, target, alias)
        self._known[group] = _Known(
            places,
            SyncedGroup(
                target=_kept(target, decision, places, writes=writes),
                word=word,
                looked_ms=now_ms,
                synced_ms=now_ms if is_synced else earlier,
                findings=findings,
            ),
            is_unset=not writes and bool(decision.writes),
        )


def sync_once(
    target: GroupAdmin, places: Mapping[str, Places], logs: Logs, *, writes: bool
) -> Mapping[str, tuple[GroupSyncDecision, TargetGroup]]:
    """Read groups of the target, and set their offsets unless it is a dry run.

    Returns for each group what became of it, or would become, and the group as it was before. Raises the errors of
    GroupAdmin.
    """
    found = read_target(target, places)
    decisions = {group: decide_group_sync(group, places[group], found[group], logs) for group in places}
    wanted = {group: decision.writes for group, decision in decisions.items() if decision.writes}
    if writes and wanted:
        results = target.alter(wanted)
        decisions |= {group: after_alter(decisions[group], results.get(group, {})) for group in wanted}
    return {group: (decision, found[group]) for group, decision in decisions.items()}


def read_target(target: GroupAdmin, groups: Collection[str]) -> Mapping[str, TargetGroup]:
    """Describe groups and read their offsets. Raises the errors of GroupAdmin.

    The offsets are read after the description: a group that was seen without members has not committed later ones
    unless it got members, which the coordinator notices when offsets are set.
    """
    missing = GroupProblem("UNKNOWN_SERVER_ERROR", f"cluster {target.alias} did not answer for the group")
    described = target.describe(groups)
    commits = target.commits(groups)
    return {
        group: TargetGroup(description=described.get(group, missing), commits=commits.get(group, missing))
        for group in groups
    }


def _moved(before: Places, now: Places) -> bool:
    """Return True if a place is new or another one."""
    return any(remote not in before or before[remote].downstream != place.downstream for remote, place in now.items())


def _kept(target: TargetGroup, decision: GroupSyncDecision, places: Places, *, writes: bool) -> TargetGroup:
    """The group as it is after the run, with the offsets of its places only. The first offset makes a group."""
    if isinstance(target.commits, GroupProblem):
        return target
    set_now, described = decision.writes if writes else {}, target.description
    if set_now and not isinstance(described, GroupProblem) and described.state == "dead":
        described = replace(described, state="empty")
    offsets = {
        remote: set_now.get(remote) or target.commits[remote]
        for remote in places
        if remote in set_now or remote in target.commits
    }
    return TargetGroup(description=described, commits=offsets)


def _chunks(groups: Sequence[str]) -> Iterator[list[str]]:
    rest: Iterable[str] = iter(groups)
    while chunk := list(islice(rest, MOST_GROUPS)):
        yield chunk
