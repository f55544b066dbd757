"""Queries of flows and their orders."""

from datetime import datetime
from typing import Any, NamedTuple, cast, get_args

from django.db.models import Count, Q, QuerySet

from replication.domain.desired.desired_flow import PolicyChoice
from replication.domain.identifiers import FlowId
from replication.domain.names.replication_policy import PolicyKind
from replication.domain.settings.choices import Delivery
from replication.domain.settings.registry.topic_creation import OFFSETS_FACTOR
from srm_service.core.description import Description, DescriptionFilter, known_criticality
from srm_service.flows.contracts import CopyRules, FlowDto, FlowSettings, ResetDto
from srm_service.flows.models import DesiredRevision, Flow, FlowReset

_POLICY_KINDS: tuple[PolicyKind, ...] = get_args(PolicyKind)


class _Row(NamedTuple):
    """The columns of a FlowDto."""

    source__alias: str
    target__alias: str
    target__is_counted: bool
    enabled: bool
    heartbeats: bool
    state: str
    pause_reason: str
    pause_by: str
    state_since: datetime | None
    pause_until: datetime | None
    tasks_max: int
    delivery: str
    topics_allow: list[str]
    policy_separator: str
    throttle_bytes_per_second: int | None
    throttle_until: datetime | None
    labels: dict[str, str]
    owner: str
    criticality: str
    runbook: str
    listed: int


def flow_list() -> tuple[FlowDto, ...]:
    """All flows by source and target. One query."""
    return tuple(_dto(flow) for flow in _flows())


def flows_described(wanted: DescriptionFilter) -> frozenset[FlowId] | None:
    """Return the flows whose description matches; None if the filter is empty."""
    if wanted.is_empty:
        return None
    return frozenset(FlowId(flow.source, flow.target) for flow in flow_list() if wanted.matches(flow.description))


def flow_find(source: str, target: str) -> FlowDto | None:
    flow = _flows().filter(source__alias=source, target__alias=target).first()
    return None if flow is None else _dto(flow)


def flow_settings(source: str, target: str) -> FlowSettings | None:
    """The settings of a flow as its form shows them."""
    flow = Flow.objects.filter(source__alias=source, target__alias=target).first()
    if flow is None:
        return None
    return FlowSettings(
        source=source,
        target=target,
        enabled=flow.enabled,
        heartbeats=flow.heartbeats,
        tasks_max=flow.tasks_max,
        delivery=flow.delivery,
        policy=PolicyChoice(
            kind=_policy_kind(flow), separator=flow.policy_separator, template=flow.policy_template or None
        ),
        topics_allow=tuple(flow.topics_allow),
        topics_deny=tuple(flow.topics_deny),
        groups_allow=tuple(flow.groups_allow),
        groups_deny=tuple(flow.groups_deny),
        start=flow.start,
        gap_policy=flow.gap_policy,
        problem=flow.problem,
        description=flow.description,
        changed_at=flow.updated_at,
    )


def desired_revisions() -> dict[str, int]:
    """The revisions of the desired documents that were published last, by target."""
    return dict(DesiredRevision.objects.values_list("target", "revision"))


def flow_targets() -> frozenset[str]:
    """The aliases of all clusters that flows copy to."""
    return frozenset(Flow.objects.values_list("target__alias", flat=True))


def reported_targets() -> frozenset[str]:
    """The targets of this service: the clusters that flows copy to, but for those that others report."""
    return frozenset(Flow.objects.filter(target__is_counted=True).values_list("target__alias", flat=True))


def flow_ids_into(target: str) -> dict[str, int]:
    """The ids of the flows into a target cluster, by source."""
    return dict(Flow.objects.filter(target__alias=target).values_list("source__alias", "pk"))


def flow_internal_topic_factor(source: str, target: str) -> int:
    """The replication factor of a flow's internal topics."""
    connectors = Flow.objects.filter(source__alias=source, target__alias=target).values_list("connectors", flat=True)
    try:
        return OFFSETS_FACTOR.read((connectors.first() or {}).get("source", {}))
    except ValueError:  # an unusable value is reported with the flow
        return OFFSETS_FACTOR.default


def flow_copy_rules(source: str, target: str) -> CopyRules | None:
    flow = Flow.objects.filter(source__alias=source, target__alias=target).first()
    if flow is None:
        return None
    settings = flow.connectors.get("source", {})
    return CopyRules(
        policy_kind=_policy_kind(flow),
        policy_separator=flow.policy_separator,
        policy_template=flow.policy_template,
        delivery=cast("Delivery", flow.delivery),
        source_settings=dict(settings),
    )


def flow_throttle(source: str, target: str) -> dict[str, int | None]:
    """The throttle of a flow and its end in ms; None without a throttle, without an end and for unknown flows."""
    flows = Flow.objects.filter(source__alias=source, target__alias=target)
    rate, until = flows.values_list("throttle_bytes_per_second", "throttle_until").first() or (None, None)
    return {"bytes_per_second": rate, "until_ms": epoch_ms(until)}


def reset_list(source: str, target: str) -> tuple[ResetDto, ...]:
    """The resets of a flow that are pending or ended within a day, by topic, partition and age."""
    resets = FlowReset.objects.filter(flow__source__alias=source, flow__target__alias=target)
    return tuple(reset_dto(reset) for reset in resets)


def reset_dto(reset: FlowReset) -> ResetDto:
    return ResetDto(
        id=reset.key,
        topic=reset.topic,
        partition=reset.partition,
        to=reset.to,
        state=reset.state,
        requested_by=reset.requested_by,
        requested_ms=_known_ms(reset.requested_at),
        ended_ms=epoch_ms(reset.ended_at),
    )


def resets_open() -> frozenset[str]:
    """The ids of all pending resets."""
    return frozenset(FlowReset.objects.filter(state="requested").values_list("key", flat=True))


def epoch_ms(moment: datetime | None) -> int | None:
    return None if moment is None else _known_ms(moment)


def _known_ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _flows() -> QuerySet[Flow, Any]:
    """Rows of flows, with the number of patterns by which their lists allow topics. Plain: lists read all of them."""
    patterns = "control_topic__patterns"
    allowing = Q(**{f"{patterns}__kind": "topics", f"{patterns}__side": "allow", f"{patterns}__problem": ""})
    flows = Flow.objects.annotate(listed=Count(patterns, filter=allowing))
    ordered = flows.order_by("source__alias", "target__alias")  # a query that counts has no default order
    rows: QuerySet[Flow, Any] = ordered.values_list(*_Row._fields)
    return rows


def _dto(values: tuple[Any, ...]) -> FlowDto:
    row = _Row(*values)
    return FlowDto(
        source=row.source__alias,
        target=row.target__alias,
        enabled=row.enabled,
        heartbeats=row.heartbeats,
        state=row.state,
        pause_reason=row.pause_reason,
        pause_by=row.pause_by,
        state_since_ms=epoch_ms(row.state_since),
        pause_until_ms=epoch_ms(row.pause_until),
        tasks_max=row.tasks_max,
        delivery=row.delivery,
        allows_topics=bool(row.topics_allow or row.listed),
        policy_separator=row.policy_separator,
        throttle_bytes_per_second=row.throttle_bytes_per_second,
        throttle_until_ms=epoch_ms(row.throttle_until),
        is_reported=row.target__is_counted,
        description=Description(
            labels=row.labels, owner=row.owner, criticality=known_criticality(row.criticality), runbook=row.runbook
        ),
    )


def _policy_kind(flow: Flow) -> PolicyKind:
    return next(kind for kind in _POLICY_KINDS if kind == flow.policy_kind)
