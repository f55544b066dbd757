"""Finds the groups that another flow into the target translates already, by the plans of both."""

from collections.abc import Mapping, Sequence

from replication.domain.groups.returned_topics import ReturnedTopics
from replication.domain.groups.sync.claims import GroupHolder, TakenGroup, taken_groups
from replication.domain.identifiers import FlowId
from replication.domain.plan.plan_document import PlanDocument


def groups_of_others(
    plan: PlanDocument,
    translated: Mapping[str, frozenset[str]],
    others: Sequence[PlanDocument],
    returned: ReturnedTopics | None = None,
) -> tuple[TakenGroup, ...]:
    """Return the groups to leave to other flows.

    `translated` are the groups of the flow with the topics of the source on which they have commits. `returned` chooses
    the copies that lead groups back to topics of the target.
    """
    originals = {} if returned is None else originals_of(translated, returned)
    written = {**originals, **{topic.upstream: topic.remote for topic in plan.topics}}
    mine = frozenset(written.values())
    holders = [holder for other in others if (holder := _holder(other)).remote_topics & mine]
    if not holders:
        return ()
    wanted = {
        group: frozenset(written[topic] for topic in topics if topic in written) for group, topics in translated.items()
    }
    held = [name for slot in plan.groups.slots for name in slot]
    return taken_groups(FlowId(plan.source, plan.target), wanted, held, holders)


def originals_of(translated: Mapping[str, frozenset[str]], returned: ReturnedTopics) -> dict[str, str]:
    """Return the topics of the target to which groups are led back, by the names of their copies on the source."""
    topics = frozenset().union(*set(translated.values()))
    originals = ((topic, returned.original(topic)) for topic in topics)
    return {topic: original for topic, original in originals if original is not None}


def _holder(plan: PlanDocument) -> GroupHolder:
    return GroupHolder(
        flow=FlowId(plan.source, plan.target),
        groups={name: None for slot in plan.groups.slots for name in slot},
        remote_topics=frozenset((*(topic.remote for topic in plan.topics), *plan.groups.originals)),
    )
