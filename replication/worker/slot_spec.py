"""From a flow, its plan and its clusters to what one slot of the engine is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from replication.config.policies import internal_separator
from replication.domain.desired import DesiredFlow
from replication.domain.error_handling import read_error_handling
from replication.domain.fetch_limits import FetchLimits
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.naming import offset_syncs_topic
from replication.domain.plan import PlanDocument
from replication.domain.record_settings import read_record_settings
from replication.domain.slot import ClusterClient, IsolationLevel, SlotSpec
from replication.domain.start_position import parse_start_offsets
from replication.domain.throttle import Throttle, parse_rate, parse_schedule
from replication.domain.transaction_interval import transaction_interval_ms

METRICS_PERIOD_MS = 5_000
START_OFFSETS = "srm.start.offsets"
THROTTLE_RATE = "srm.throttle.rate"
THROTTLE_SCHEDULE = "srm.throttle.schedule"


def build_slot_spec(
    flow: DesiredFlow, plan: PlanDocument, slot: int, source: ClusterClient, target: ClusterClient
) -> SlotSpec:
    """Defaults are MirrorMaker 2's. ValueError names a connector setting that is no number."""
    settings = flow.connectors.source
    syncs_on_target = settings.get("offset-syncs.topic.location", "source") == "target"
    separator = internal_separator(flow.policy, settings)
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
        start_offsets=_start_offsets(settings),
        holds=flow.holds,
        resets=flow.resets,
        throttle=_throttle(flow, len(plan.slots)),
        records=read_record_settings(settings, identity=_keeps_names(flow, plan)),
        registers_producer=True,
        transaction_interval_ms=transaction_interval_ms(settings),
        errors=read_error_handling(settings, plan.source),
        offset_lag_max=_number(settings, "offset.lag.max", 100),
        writes_offset_syncs=settings.get("emit.offset-syncs.enabled", "true").strip().lower() != "false",
        fetch_limits=FetchLimits.of(settings),
        metrics_period_ms=METRICS_PERIOD_MS,
    )


# what `SlotHandle.update` takes over while the slot runs; a change of any other field restarts the slot
_LIVE_FIELDS = (
    "partitions",
    "plan_version",
    "retired_slots",
    "start",
    "start_offsets",
    "holds",
    "resets",
    "throttle",
)


def is_live_change(old: SlotSpec, new: SlotSpec) -> bool:
    """Whether a running slot can be told of the change; anything else needs a restart of the slot."""
    return replace(new, **{name: getattr(old, name) for name in _LIVE_FIELDS}) == old


def _keeps_names(flow: DesiredFlow, plan: PlanDocument) -> bool:
    """By the policy chosen, or by what a policy of somebody's own really does."""
    return flow.policy.kind == "identity" or any(topic.upstream == topic.remote for topic in plan.topics)


def _isolation_level(flow: DesiredFlow) -> IsolationLevel:
    """Exactly once always reads committed data only, whatever is set."""
    committed = flow.connectors.source.get("consumer.isolation.level") == "read_committed"
    return "read_committed" if committed or flow.delivery == "exactly_once" else "read_uncommitted"


def _start_offsets(settings: dict[str, str]) -> tuple[tuple[TopicPartition, int], ...]:
    with _naming(START_OFFSETS):
        return parse_start_offsets(settings.get(START_OFFSETS, ""))


def _throttle(flow: DesiredFlow, slots: int) -> Throttle:
    """The flow's own limit, else the one among its settings; every slot gets the same share."""
    settings, limit = flow.connectors.source, flow.throttle_bytes_per_second
    with _naming(THROTTLE_RATE):
        limit = parse_rate(settings[THROTTLE_RATE]) if limit is None and THROTTLE_RATE in settings else limit
    with _naming(THROTTLE_SCHEDULE):
        windows = parse_schedule(settings.get(THROTTLE_SCHEDULE, ""))
    return Throttle(bytes_per_second=limit, windows=windows, slots=max(1, slots))


@contextmanager
def _naming(setting: str) -> Iterator[None]:
    """A value that cannot be read is reported with the setting it stands in."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{setting}: {error}; correct it in the flow's settings") from error


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
