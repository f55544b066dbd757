"""Makes the order of one slot from a flow, its plan and its clusters."""

from collections.abc import Collection
from dataclasses import fields, replace

from replication.config.flows.policies import internal_separator
from replication.domain.assignment.retries import RetryPolicy
from replication.domain.assignment.stop_reason import StopReason
from replication.domain.control.orders import Stop, TopicThrottle, restarts_task
from replication.domain.control.throttle import OrderedLimit, Throttle
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.internal_topics import offset_syncs_topic
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient, SlotSpec
from replication.domain.rejected_records.error_policy import read_error_handling
from replication.domain.settings.choices import IsolationLevel
from replication.domain.settings.delivery import required_isolation
from replication.domain.settings.fetch_limits import FetchLimits
from replication.domain.settings.record_settings import read_record_settings
from replication.domain.settings.registry.all_settings import SETTINGS
from replication.domain.settings.registry.clients import ISOLATION_LEVEL
from replication.domain.settings.registry.drivers import RETRY_COUNT, RETRY_DELAY
from replication.domain.settings.registry.flow import START_OFFSETS, TARGET_POLICY, THROTTLE_RATE, THROTTLE_SCHEDULE
from replication.domain.settings.registry.records import OFFSET_LAG_MAX, OFFSET_SYNCS, OFFSET_SYNCS_LOCATION
from replication.domain.settings.transaction_interval import transaction_interval_ms


def build_slot_spec(
    flow: DesiredFlow, plan: PlanDocument, slot: int, source: ClusterClient, target: ClusterClient
) -> SlotSpec:
    """Raises SettingError or TransformSettingsError, both of which are ValueErrors."""
    settings, flow_id = flow.connectors.source, FlowId(plan.source, plan.target)
    syncs_on_target = OFFSET_SYNCS_LOCATION.read(settings) == "target"
    separator = internal_separator(flow.policy, settings)
    return SlotSpec(
        flow=flow_id,
        slot=slot,
        generation=plan.generation,
        plan_version=plan.version,
        source=source,
        target=target,
        partitions=plan.slot_partitions(slot),
        layout=plan.layout,
        slots=len(plan.slots),
        moved_away=tuple(sorted(plan.moved_from(slot).items())),
        offset_syncs_topic=offset_syncs_topic(flow_id, separator=separator, on_target=syncs_on_target),
        slots_without_generation=max(len(plan.slots), plan.older_slots),
        offset_syncs_on_target=syncs_on_target,
        delivery=flow.delivery,
        isolation_level=_isolation_level(flow),
        gap_policy=flow.gap_policy,
        target_policy=TARGET_POLICY.read(settings),
        start=flow.start,
        start_offsets=START_OFFSETS.read(settings),
        holds=flow.holds,
        resets=flow.resets,
        restarts=tuple(restart for restart in flow.restarts if restart.concerns(slot)),
        throttle=_throttle(flow, len(plan.slots)),
        topic_throttles=_topic_throttles(flow, plan, slot),
        records=read_record_settings(settings, identity=_keeps_names(flow, plan)),
        transaction_interval_ms=transaction_interval_ms(settings),
        errors=read_error_handling(settings, plan.source),
        offset_lag_max=OFFSET_LAG_MAX.read(settings),
        writes_offset_syncs=OFFSET_SYNCS.read(settings),
        fetch_limits=FetchLimits.of(settings),
        retries=RetryPolicy(count=RETRY_COUNT.read(settings), delay_ms=RETRY_DELAY.read(settings)),
    )


def without_stopped(spec: SlotSpec, stops: Collection[Stop]) -> SlotSpec:
    """Return the specification without the partitions of these stops, which are in force."""

    def is_stopped(upstream: TopicPartition) -> bool:
        return any(stop.names(upstream) for stop in stops)

    left = tuple(each for each in spec.partitions if not is_stopped(each.upstream))
    moved = tuple(each for each in spec.moved_away if not is_stopped(each[0]))
    if (len(left), len(moved)) == (len(spec.partitions), len(spec.moved_away)):
        return spec
    return replace(spec, partitions=left, moved_away=moved)


# `SlotHandle.update` takes these over while the slot runs; a change of any other field restarts the slot
_LIVE_SETTINGS = {setting.slot_field for setting in SETTINGS if setting.slot_field and setting.change == "live"}
_NESTED = ("records",)  # fields whose own fields are compared one by one
_CLUSTERS = ("source", "target")
_LOGINS = tuple(f"{side}.login" for side in _CLUSTERS)  # connections are exchanged one by one
_PLANNED_FIELDS = ("partitions", "plan_version", "layout", "slots", "moved_away", "slots_without_generation")
_LIVE_ORDERS = ("holds", "resets", "restarts", "topic_throttles")
_LIVE_FIELDS = (*_PLANNED_FIELDS, *_LIVE_ORDERS, *_LOGINS, *sorted(_LIVE_SETTINGS))


def restarting_fields(old: SlotSpec, new: SlotSpec) -> list[str]:
    """Return the fields that differ and that a running slot does not take over, nested ones as `records.linger_ms`."""
    differing = [name for each in fields(SlotSpec) for name in _differing(old, new, each.name)]
    return [name for name in differing if name not in _LIVE_FIELDS]


def _differing(old: SlotSpec, new: SlotSpec, name: str) -> list[str]:
    mine, theirs = getattr(old, name), getattr(new, name)
    if mine == theirs:
        return []
    if name in _CLUSTERS and mine.is_same_but_login(theirs):
        return [f"{name}.login"]
    if name not in _NESTED:
        return [name]
    return [f"{name}.{each.name}" for each in fields(mine) if getattr(mine, each.name) != getattr(theirs, each.name)]


def is_live_change(old: SlotSpec, new: SlotSpec) -> bool:
    """Return whether a running slot takes the change over; any other one, or an order to do so, restarts the slot."""
    if restarts_task(old.restarts, new.restarts):
        return False
    return not restarting_fields(old, new)


def restart_reason(old: SlotSpec, new: SlotSpec) -> StopReason:
    """Return why the slot restarts to follow a change that is not live; settings are named as people write them."""
    if restarts_task(old.restarts, new.restarts):
        return StopReason("restart_ordered")
    changed = restarting_fields(old, new)
    if "generation" in changed:
        return StopReason("replanned")
    return StopReason("settings_changed", ", ".join(sorted(_setting_name(old, name) for name in changed)))


def _setting_name(spec: SlotSpec, field: str) -> str:
    if field in _CLUSTERS:
        return f"connection of cluster {getattr(spec, field).alias}"
    keys = [setting.key for setting in SETTINGS if setting.slot_field == field]
    return " or ".join(sorted(keys)) or field.rpartition(".")[2]


def _keeps_names(flow: DesiredFlow, plan: PlanDocument) -> bool:
    """By the chosen policy, or by the names that a custom policy gives."""
    return flow.policy.kind == "identity" or any(topic.upstream == topic.remote for topic in plan.topics)


def _isolation_level(flow: DesiredFlow) -> IsolationLevel:
    """The level that the delivery demands, or else the chosen one, which is checked in any case."""
    chosen = ISOLATION_LEVEL.read(flow.connectors.source)
    return required_isolation(flow.delivery) or chosen


def _throttle(flow: DesiredFlow, slots: int) -> Throttle:
    """The flow's limit, or else the one in its connector settings; all slots share it equally."""
    settings, limit, until_ms = flow.connectors.source, flow.throttle_bytes_per_second, flow.throttle_until_ms
    is_passing = limit is not None and until_ms is not None
    return Throttle(
        bytes_per_second=THROTTLE_RATE.read(settings) if limit is None or is_passing else limit,
        ordered=OrderedLimit(bytes_per_second=limit, until_ms=until_ms) if limit and until_ms else None,
        windows=THROTTLE_SCHEDULE.read(settings),
        slots=max(1, slots),
    )


def _topic_throttles(flow: DesiredFlow, plan: PlanDocument, slot: int) -> tuple[TopicThrottle, ...]:
    """The slot's shares of the throttles that concern its partitions."""
    if not flow.topic_throttles:
        return ()
    held = [each.upstream for each in plan.slot_partitions(slot)]
    widths = {topic.upstream: topic.partitions for topic in plan.topics}
    counted = ((throttle, sum(map(throttle.names, held))) for throttle in flow.topic_throttles)
    return tuple(throttle.share(count, widths[throttle.topic]) for throttle, count in counted if count)
