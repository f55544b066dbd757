"""The plan that a flow would have with a draft, from the topics that it would copy."""

from collections.abc import Sequence
from dataclasses import replace

from replication.connectors.plan.plan_building import PlanningResult, build_plan
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.identifiers import FlowId
from replication.domain.plan.plan_document import PlanDocument, PlanTopic
from replication.domain.plan.topic_join import TopicJoin
from replication.domain.plan.topic_plan import WantedTopic

_NO_TOPIC_ID = bytes(16)


def draft_plan(
    flow_id: FlowId, flow: DesiredFlow, previous: PlanDocument | None, wanted: Sequence[WantedTopic]
) -> PlanDocument:
    """Return the plan of the next planning run, if the clusters refuse nothing."""
    known = {} if previous is None else {(topic.upstream, topic.remote): topic for topic in previous.topics}
    result = PlanningResult(
        topics=tuple(_planned(topic, known.get((topic.upstream, topic.remote))) for topic in wanted),
        skipped=(),
        warnings=(),
        desired_revision=0,
        now_ms=0,
    )
    least = max(1, flow.generation, 0 if previous is None else previous.generation)
    return build_plan(flow, flow_id, previous, result, least_generation=least)


def _planned(topic: WantedTopic, known: PlanTopic | None) -> PlanTopic:
    if known is not None:
        return replace(known, partitions=topic.partitions)
    return PlanTopic(
        upstream=topic.upstream,
        remote=topic.remote,
        topic_id=_NO_TOPIC_ID,
        partitions=topic.partitions,
        max_message_bytes=0,
        timestamp_type="CreateTime",
        joined=TopicJoin(topic.partitions, 0),
    )
