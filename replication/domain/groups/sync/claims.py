"""Finds groups whose offsets two flows would write on one target: the same group and the same remote topic.

That happens if remote names do not show the source (identity and template names), or if sources are copied to one
topic. The offsets of two sources have nothing to do with each other: one flow writes, the other is blocked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.readiness import cause
from replication.domain.identifiers import FlowId

_MOST_NAMED = 3
GroupTopics = Mapping[str, frozenset[str]]  # remote topics on which a group has offsets, by group


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupHolder:
    """A flow into the target: its remote topics, and the groups that its plan assigns.

    The value of a group are the remote topics on which it has offsets; None where they are not known, which counts as
    all.
    """

    flow: FlowId
    groups: Mapping[str, frozenset[str] | None]
    remote_topics: frozenset[str]

    def shared(self, group: str, remote: frozenset[str]) -> frozenset[str]:
        """Return those of the remote topics on which this flow writes offsets of the group too."""
        if group not in self.groups:
            return frozenset()
        topics = self.groups[group]
        return remote & (self.remote_topics if topics is None else topics)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenGroup:
    """A group that another flow writes on these remote topics."""

    group: str
    flow: FlowId
    remote_topics: tuple[str, ...]


def taken_groups(
    flow: FlowId, wanted: GroupTopics, held: Iterable[str], others: Iterable[GroupHolder]
) -> tuple[TakenGroup, ...]:
    """Return the groups that this flow must leave to another one.

    `held` are the groups that its present plan assigns. The flow that has a group keeps it; of two that have it, as
    after planning at the same time, the one whose source comes first by its alias. A flow leaves a whole group: half
    of its offsets would be of no use.
    """
    mine = frozenset(held)
    rivals = sorted((each for each in others if each.flow != flow), key=lambda each: each.flow.source)
    taken: list[TakenGroup] = []
    for group, remote in sorted(wanted.items()):
        for rival in rivals:
            shared = rival.shared(group, remote)
            if shared and not (group in mine and flow.source < rival.flow.source):
                taken.append(TakenGroup(group=group, flow=rival.flow, remote_topics=tuple(sorted(shared))))
                break
    return tuple(taken)


def taken_cause(taken: TakenGroup) -> GroupCause:
    """Return the cause that blocks the group in the flow that does not have it."""
    named = ", ".join(taken.remote_topics[:_MOST_NAMED])
    more = len(taken.remote_topics) - _MOST_NAMED
    topics = f"{named} and {more} more" if more > 0 else named
    return cause("taken_by_another_flow", flow=taken.flow, topics=topics, target=taken.flow.target)
