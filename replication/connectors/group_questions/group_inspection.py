"""Reads groups from both clusters now: commits, logs, the account of copying, checkpoints, and the target's groups.

While the source does not answer, the checkpoints stand for the commits, as far as they tell.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from replication.connectors.group_questions.group_ports import GroupPorts
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.errors import ReplicationError
from replication.domain.groups.consumer_group import Commit, Commits, GroupDescription, GroupProblem
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.judgement.group_partition import GroupPartitionFacts
from replication.domain.groups.sync.group_sync import TargetGroup
from replication.domain.groups.translation import Translation
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.questions.groups import GroupsPart, UnlookedGroups
from replication.tasks.groups.bounds_comparison import MOST_READS, BoundsComparison, ReadBudget
from replication.tasks.groups.checkpoint_history import CheckpointHistory
from replication.tasks.groups.checkpoint_order import CheckpointOrder
from replication.tasks.groups.group_offset_sync import read_target
from replication.tasks.groups.group_round import Checkpoints, RoundView, partitions_of
from replication.tasks.groups.log_ranges import NO_LOGS, read_logs
from replication.tasks.groups.topic_places import TopicPlaces

_EVERY_COMPARISON = 20_000  # records that one question reads in order to narrow bounds
_NOTHING: Commits = {}
_Described = Mapping[str, GroupDescription | GroupProblem]
_Answers = Mapping[str, Commits | GroupProblem]
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenGroup:
    """A group as both clusters have it now; a problem is a refusal of its coordinator on the source.

    The facts name the checkpoint that a round would write now; `checkpoints` are those that are written. Without
    `is_read` the source did not tell the commits: the facts have those of the checkpoints, and name no other.
    """

    name: str
    described: GroupDescription | GroupProblem | None
    commits: Commits | GroupProblem
    target: TargetGroup
    facts: tuple[GroupPartitionFacts, ...]
    checkpoints: Checkpoints
    is_read: bool

    @property
    def known_facts(self) -> tuple[GroupPartitionFacts, ...]:
        """The facts to judge the group by: without the source, a partition without a checkpoint tells nothing."""
        return self.facts if self.is_read else tuple(each for each in self.facts if each.commit is not None)

    @property
    def checkpoint_ms(self) -> int | None:
        """The time of the newest checkpoint."""
        return max((each.written_ms for each in self.checkpoints.values()), default=None)


@dataclass(slots=True)
class GroupsSeen:
    """Several groups as they were read. `unlooked` names the parts that did not answer."""

    view: RoundView
    groups: dict[str, SeenGroup] = field(default_factory=dict)
    unlooked: tuple[UnlookedGroups, ...] = ()
    is_source_reachable: bool = True


class GroupInspection:
    """One inspection of all groups of a question. Blocking; for one thread.

    The ports' copy logs give each record once, so one question has one inspection. Raises the target's errors only, and
    those of invalid settings.
    """

    def __init__(self, request: FlowRequest, plan: PlanDocument, ports: GroupPorts, now_ms: int) -> None:
        self._request = request
        self._ports = ports
        self._now_ms = now_ms
        self._order = CheckpointOrder(flow=request.flow, target=request.id.target, slot=0, plan=plan)
        self._unlooked: list[UnlookedGroups] = []
        self._comparison = BoundsComparison(ports.source_log, ports.target_log)
        self._budget = _Budgets()
        self.places = TopicPlaces.of(request.flow, plan, request.reverse)
        self.account = CopyAccount()
        self._reverse = CopyAccount()
        self._history = CheckpointHistory(ports.target_log, self._order.topic)
        self._is_reverse_read = not self.places.reads_reverse

    def at_groups(self, names: Collection[str]) -> GroupsSeen:
        """Read these groups."""
        described, answers = self._source_groups(names)
        history = self._history
        if history.lacks(names):
            self.read_checkpoints(names)
        commits = {name: self._commits(answers, name, history.of(name)) for name in names}
        self.read_account()
        view = self.view({each for found in commits.values() for each in partitions_of(found, self.places)})
        targets = read_target(self._ports.target, names)
        seen = GroupsSeen(view=view)
        for name in names:
            self._budget.begin_group()
            answer = None if answers is None else answers.get(name, _NOTHING)
            is_read = answer is not None and not isinstance(answer, GroupProblem)
            facts, _ = view.evaluate(name, commits[name], history.of(name), writes=is_read)
            seen.groups[name] = SeenGroup(
                name=name,
                described=described.get(name),
                commits=answer if isinstance(answer, GroupProblem) else commits[name],
                target=targets[name],
                facts=_with_targets(facts, targets[name]),
                checkpoints=history.of(name),
                is_read=is_read,
            )
        seen.unlooked, seen.is_source_reachable = self.unlooked, self.is_source_reachable
        return seen

    def read_checkpoints(self, names: Collection[str]) -> None:
        """Read the checkpoints of all these groups, before `at_groups` reads some of them."""
        self._try("checkpoints", lambda: self._history.read(names), None)

    def read_account(self) -> None:
        """Read how the flow has copied, and the flow the other way where both write to topics of one name."""
        self._try("copy_logs", lambda: self._ports.copy_logs.read_into(self.account), 0)
        if not self._is_reverse_read and self.is_source_reachable:
            read = self._try("source", lambda: self._ports.reverse_logs.read_into(self._reverse), None)
            self._is_reverse_read = read is not None

    def view(self, upstream: Collection[TopicPartition]) -> RoundView:
        """Read the ends of the logs of these partitions and their copies."""
        remote = {each for each in map(self.places.remote, upstream) if each is not None}
        source = NO_LOGS
        if self.is_source_reachable:
            source = self._try("source", lambda: read_logs(self._request.source, upstream), NO_LOGS)
        target = read_logs(self._request.target, remote)
        return RoundView(
            places=self.places,
            account=self.account,
            source=source.ranges,
            remote=target.ranges,
            unavailable=target.unavailable,
            now_ms=self._now_ms,
            closer=self._closer,
            reverse=self._reverse,
            is_reverse_read=self._is_reverse_read,
        )

    @property
    def unlooked(self) -> tuple[UnlookedGroups, ...]:
        return tuple(self._unlooked)

    @property
    def is_source_reachable(self) -> bool:
        """False once the source did not answer in this inspection."""
        return all(each.part != "source" for each in self._unlooked)

    def _source_groups(self, names: Collection[str]) -> tuple[_Described, _Answers | None]:
        source = self._ports.source

        def ask() -> tuple[_Described, _Answers | None]:
            return source.describe(names), source.commits(names)

        nothing: tuple[_Described, _Answers | None] = ({}, None)
        return self._try("source", ask, nothing) if self.is_source_reachable else nothing

    def _commits(self, answers: _Answers | None, name: str, checkpoints: Checkpoints) -> Commits:
        """The group's commits; the upstream offsets of its checkpoints where the source does not tell."""
        answer = None if answers is None else answers.get(name, _NOTHING)
        if answer is not None and not isinstance(answer, GroupProblem):
            return answer
        found = ((self.places.upstream(remote), place) for remote, place in checkpoints.items())
        return {upstream: Commit(place.upstream) for upstream, place in found if upstream is not None}

    def _closer(
        self, upstream: TopicPartition, remote: TopicPartition, offset: int, bounds: Translation
    ) -> Translation:
        """Compare records where bounds are left, with the limit of one group and that of the question."""
        budget = self._budget.next()
        try:
            found = self._comparison.compare(upstream, remote, offset, bounds, budget)
        except ReplicationError:
            return bounds  # bounds are an answer, too
        self._budget.used(budget)
        return bounds if found is None else found

    def _try(self, part: GroupsPart, work: Callable[[], Found], otherwise: Found) -> Found:
        try:
            return work()
        except ReplicationError as error:
            if all(each.part != part for each in self._unlooked):
                self._unlooked.append(UnlookedGroups(part=part, reason=error.text))
            return otherwise


class _Budgets:
    """The records that may still be read for the present group, and for the question."""

    def __init__(self) -> None:
        self._group = MOST_READS
        self._all = _EVERY_COMPARISON

    def begin_group(self) -> None:
        self._group = MOST_READS

    def next(self) -> ReadBudget:
        return ReadBudget(min(self._group, self._all))

    def used(self, budget: ReadBudget) -> None:
        """Count what was taken of the budget that was given last."""
        taken = min(self._group, self._all) - budget.left
        self._group -= taken
        self._all -= taken


def _with_targets(facts: Iterable[GroupPartitionFacts], target: TargetGroup) -> tuple[GroupPartitionFacts, ...]:
    commits = {} if isinstance(target.commits, GroupProblem) else target.commits
    offsets = {each: commit.offset for each, commit in commits.items() if commit.offset >= 0}
    return tuple(
        replace(each, target_offset=None if each.remote is None else offsets.get(each.remote)) for each in facts
    )
