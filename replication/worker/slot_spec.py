"""From a flow, its plan and its clusters to what one slot of the engine is told."""

from replication.domain.desired import DesiredFlow
from replication.domain.identifiers import FlowId
from replication.domain.naming import offset_syncs_topic
from replication.domain.plan import PlanDocument
from replication.domain.slot import ClusterClient, IsolationLevel, SlotSpec

METRICS_PERIOD_MS = 5_000


def build_slot_spec(
    flow: DesiredFlow, plan: PlanDocument, slot: int, source: ClusterClient, target: ClusterClient
) -> SlotSpec:
    """Defaults are MirrorMaker 2's. ValueError names a connector setting that is no number."""
    settings = flow.connectors.source
    syncs_on_target = settings.get("offset-syncs.topic.location", "source") == "target"
    separator = flow.policy.separator
    return SlotSpec(
        flow=FlowId(plan.source, plan.target),
        slot=slot,
        generation=plan.generation,
        plan_version=plan.version,
        source=source,
        target=target,
        partitions=plan.slot_partitions(slot),
        offset_syncs_topic=offset_syncs_topic(plan.source if syncs_on_target else plan.target, separator),
        retired_slots=range(len(plan.slots), plan.older_slots),
        offset_syncs_on_target=syncs_on_target,
        delivery=flow.delivery,
        isolation_level=_isolation_level(flow),
        gap_policy=flow.gap_policy,
        start=flow.start,
        offset_lag_max=_number(settings, "offset.lag.max", 100),
        metrics_period_ms=METRICS_PERIOD_MS,
    )


def only_partitions_differ(old: SlotSpec, new: SlotSpec) -> bool:
    """Whether a running slot can be told of the change; anything else needs a restart of the slot."""
    return _without_partitions(old) == _without_partitions(new)


def _without_partitions(spec: SlotSpec) -> tuple[object, ...]:
    return (
        *(spec.flow, spec.slot, spec.generation, spec.source, spec.target),
        *(spec.offset_syncs_topic, spec.offset_syncs_on_target, spec.delivery, spec.isolation_level),
        *(spec.gap_policy, spec.start, spec.offset_lag_max, spec.commit_interval_ms, spec.metrics_period_ms),
    )


def _isolation_level(flow: DesiredFlow) -> IsolationLevel:
    """Exactly once always reads committed data only, whatever is set."""
    committed = flow.connectors.source.get("consumer.isolation.level") == "read_committed"
    return "read_committed" if committed or flow.delivery == "exactly_once" else "read_uncommitted"


def _number(settings: dict[str, str], name: str, default: int) -> int:
    text = settings.get(name)
    if text is None:
        return default
    try:
        number = int(text)
    except ValueError as error:
        raise ValueError(f"{name}={text!r} is not a whole number: correct it in the flow's settings") from error
    if number < 0:
        raise ValueError(f"{name}={text!r} is negative: correct it in the flow's settings")
    return number
