"""Reads of flows."""

from datetime import datetime

from srm_service.flows.contracts import FlowDto
from srm_service.flows.models import Flow


def flow_list() -> tuple[FlowDto, ...]:
    """All flows by source and target. One query."""
    return tuple(_dto(flow) for flow in Flow.objects.select_related("source", "target"))


def flow_find(source: str, target: str) -> FlowDto | None:
    flow = Flow.objects.select_related("source", "target").filter(source__alias=source, target__alias=target).first()
    return None if flow is None else _dto(flow)


def epoch_ms(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp() * 1000)


def _dto(flow: Flow) -> FlowDto:
    return FlowDto(
        source=flow.source.alias,
        target=flow.target.alias,
        enabled=flow.enabled,
        heartbeats=flow.heartbeats,
        state=flow.state,
        pause_reason=flow.pause_reason,
        pause_by=flow.pause_by,
        pause_since_ms=epoch_ms(flow.pause_since),
        pause_until_ms=epoch_ms(flow.pause_until),
        tasks_max=flow.tasks_max,
        delivery=flow.delivery,
        allows_topics=bool(flow.topics_allow),
        policy_separator=flow.policy_separator,
    )
