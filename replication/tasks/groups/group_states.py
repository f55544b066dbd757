"""The knowledge of a checkpoint task about its groups, from round to round."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from replication.domain.groups.consumer_group import (
    Commits,
    GroupDescription,
    GroupProblem,
    ListedGroup,
)
from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.judgement.group_partition import GroupPartitionFacts
from replication.domain.groups.readiness import cause
from replication.domain.groups.reading_rate import ReadingRate
from replication.domain.identifiers import TopicPartition


@dataclass(slots=True)
class TaskGroupState:
    """One group. `translated_ms` is the last round that read its commits."""

    name: str
    listed: ListedGroup | None = None  # None: the source does not have it
    described: GroupDescription | None = None
    commits: Commits = field(default_factory=dict)
    facts: list[GroupPartitionFacts] = field(default_factory=list)
    refusals: tuple[GroupCause, ...] = ()  # of the source
    causes: tuple[GroupCause, ...] = ()  # what its applications would miss on the target
    rewound: frozenset[TopicPartition] = frozenset()  # remote partitions
    translated_ms: int | None = None
    is_reachable: bool = True
    is_new: bool = True  # it has not been translated yet
    latencies: dict[TopicPartition, int] = field(default_factory=dict)  # of checkpoints written since the last report

    offsets: Mapping[TopicPartition, int] = field(default_factory=dict)  # on the target
    rate: ReadingRate = field(default_factory=ReadingRate)

    @property
    def is_deleted(self) -> bool:
        return self.is_reachable and self.translated_ms is not None and self.listed is None and not self.commits

    def was_gone(self, gone: Collection[str]) -> bool:
        """Return True for a group of the plan's gone ones while the source has not told otherwise."""
        return self.listed is None and self.name in gone

    @property
    def known_facts(self) -> Sequence[GroupPartitionFacts]:
        """The facts to judge the group by: a partition without a checkpoint tells nothing before the first answer."""
        is_known = self.translated_ms is not None
        return self.facts if is_known else [each for each in self.facts if each.commit is not None]

    @property
    def is_read(self) -> bool:
        """True if the source answered with the commits; else they are older, or those of the checkpoints."""
        return self.is_reachable and not self.refusals and self.translated_ms is not None

    def lose_source(self) -> None:
        """The source does not answer: the last known commits stay."""
        self.is_reachable = False

    def read(self, answer: Commits | GroupProblem, listed: ListedGroup | None, source: str, now_ms: int) -> None:
        """Take over the source's answer; after a refusal the last known commits stay."""
        if isinstance(answer, GroupProblem):
            self.is_reachable = "AUTHORIZATION" in answer.code
            self.refusals = _refusal(answer, self.name, source) if self.is_reachable else ()
            return
        self.is_reachable, self.refusals = True, ()
        self.listed, self.commits, self.translated_ms = listed, answer, now_ms
        has_members = listed is not None and listed.state in ("active", "rebalancing")
        self.rate.observe([each.offset for each in answer.values()], now_ms, has_members=has_members)

    def describe(self, answer: GroupDescription | GroupProblem) -> None:
        """Take over the description on the source."""
        self.described = None if isinstance(answer, GroupProblem) else answer

    def translate(self, facts: list[GroupPartitionFacts]) -> None:
        """Take over the facts of a round, which know the offsets on the target."""
        self.facts, self.is_new = facts, False

    def find(self, causes: tuple[GroupCause, ...]) -> None:
        """Take over what its applications would miss on the target."""
        self.causes = causes

    def note_written(self, remote: TopicPartition, latency_ms: int, *, is_rewound: bool) -> None:
        """A checkpoint of the group has been written."""
        self.latencies[remote] = latency_ms
        if is_rewound:
            self.rewound |= {remote}
        elif remote in self.rewound:
            self.rewound -= {remote}

    def take_latencies(self) -> Mapping[TopicPartition, int]:
        """Return the latencies of the checkpoints written since the last call."""
        taken, self.latencies = self.latencies, {}
        return taken

    def see_target(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Take over the group's offsets on the target."""
        self.offsets = offsets
        self.facts = [_with_target(each, offsets) for each in self.facts]


def _with_target(facts: GroupPartitionFacts, offsets: Mapping[TopicPartition, int]) -> GroupPartitionFacts:
    """Made by hand: `dataclasses.replace` takes four times as long, and a round has 100,000 of them."""
    offset = None if facts.remote is None else offsets.get(facts.remote)
    if offset == facts.target_offset:
        return facts
    return GroupPartitionFacts(
        upstream=facts.upstream,
        remote=facts.remote,
        commit=facts.commit,
        translation=facts.translation,
        source=facts.source,
        remote_log=facts.remote_log,
        checkpoint=facts.checkpoint,
        target_offset=offset,
        absence=facts.absence,
    )


def _refusal(problem: GroupProblem, group: str, source: str) -> tuple[GroupCause, ...]:
    grant = f"grant this flow's principal DESCRIBE on group {group} and its topics on {source}"
    return (cause("missing_rights", detail=problem.text, grant=grant),)
