"""Finds the groups that another flow into the target translates already, by the plans of both."""

from collections.abc import Mapping, Sequence

from replication.domain.groups.sync.claims import GroupHolder, TakenGroup, taken_groups
from replication.domain.identifiers import FlowId
from replication.domain.plan.plan_document import PlanDocument


def groups_of_others(
    plan: PlanDocument,
    translated: Mapping[str, frozenset[str]],
    originals: Mapping[str, str],
    others: Sequence[PlanDocument],
) -> tuple[TakenGroup, ...]:
    """Return the groups to leave to other flows.

    `translated` are the groups of the flow with the topics of the source on which they have commits. `originals` are
    the topics of the target to which progress is led back, by the names of their copies on the source.
    """
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


def _holder(plan: PlanDocument) -> GroupHolder:
    return GroupHolder(
        flow=FlowId(plan.source, plan.target),
        groups={name: None for slot in plan.groups.slots for name in slot},
        remote_topics=frozenset((*(topic.remote for topic in plan.topics), *plan.groups.originals)),
    )
