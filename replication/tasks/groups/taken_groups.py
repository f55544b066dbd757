"""The groups that a flow leaves to another one, for its reports and receipts."""

from collections.abc import Mapping

from replication.domain.groups.group_summary import GroupCause, GroupSummary
from replication.domain.groups.sync.claims import TakenGroup, taken_cause
from replication.domain.identifiers import FlowId
from replication.domain.plan.plan_document import PlanDocument


def causes_of_taken(plan: PlanDocument) -> Mapping[str, GroupCause]:
    """Return the cause that blocks each group that another flow translates."""
    return {
        group: taken_cause(TakenGroup(group=group, flow=FlowId(source, plan.target), remote_topics=topics))
        for group, source, topics in plan.groups.taken
    }


def taken_summaries(plan: PlanDocument) -> tuple[GroupSummary, ...]:
    """Return the groups as they are shown: blocked, with nothing known of their partitions."""
    return tuple(
        GroupSummary(
            group=group,
            type="unknown",
            state="unknown",
            readiness="blocked",
            partitions=0,
            exact=0,
            bounded=0,
            impossible=0,
            uncommitted=0,
            causes=(cause,),
        )
        for group, cause in causes_of_taken(plan).items()
    )
