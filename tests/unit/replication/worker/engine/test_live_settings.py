"""A running slot takes a change over or restarts, as the registry declares for each setting."""

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter

import pytest

from replication.config.settings.client_keys import CONNECTION_KEYS
from replication.config.settings.prefixes import SECURITY_KEYS
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, PolicyChoice
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient
from replication.domain.plan.slot_assignment import assign_slots
from replication.domain.settings.registry.all_settings import SETTINGS, find_setting
from replication.worker.engine.slot_spec import build_slot_spec, is_live_change

EAST = ClusterClient(alias="east", bootstrap=("e:1",))
WEST = ClusterClient(alias="west", bootstrap=("w:1",))
PLAN = PlanDocument(
    target="west",
    source="east",
    generation=0,
    version=1,
    desired_revision=1,
    planned_ms=0,
    tasks_max=1,
    topics=(),
    slots=((),),
    older_slots=1,
)
FLOW = DesiredFlow(source="east", policy=PolicyChoice(separator="_"))
# another value than the default for each setting of the source connector
VALUES = {
    "srm.start.offsets": "orders:0=5",
    "srm.throttle.rate": "10MB",
    "srm.throttle.schedule": "08:00-18:00=10MB",
    "srm.audit.schedule": "6h",
    "srm.internal.topics.rule": "kafka4",
    "replication.policy.internal.topic.separator.enabled": "false",
    "heartbeats.replication.enabled": "false",
    "srm.heartbeats.max.hops": "1",
    "config.properties.exclude": "a.*",
    "use.defaults.from": "source",
    "srm.compression": "zstd",
    "srm.rebatching": "off",
    "srm.linger.ms": "5",
    "srm.transforms.max.bytes": "5000",
    "srm.batch.max.unpacked.bytes": "8000000",
    "srm.target.truncated.policy": "stop",
    "srm.heartbeats.key": "opposite",
    "srm.loop.protection": "headers",
    "srm.loop.origins": "north",
    "copy.source.offset.in.header.enabled": "true",
    "srm.transaction.interval.ms": "500",
    "transaction.boundary.interval.ms": "500",
    "emit.offset-syncs.enabled": "false",
    "offset-syncs.topic.location": "target",
    "offset.lag.max": "7",
    "srm.errors.policy": "skip",
    "errors.tolerance": "all",
    "errors.deadletterqueue.topic.name": "letters",
    "srm.errors.deadletters.unmasked": "true",
    "errors.retry.timeout": "1000",
    "errors.retry.delay.max.ms": "1000",
    "consumer.isolation.level": "read_committed",
    "srm.driver.labels": "region=eu",
    "srm.rebalance.delay.ms": "5000",
    "scheduled.rebalance.max.delay.ms": "5000",
    "srm.driver.retry.count": "3",
    "srm.driver.retry.delay.ms": "500",
    "consumer.fetch.max.bytes": "5000",
    "consumer.max.partition.fetch.bytes": "5000",
    "consumer.fetch.max.wait.ms": "10",
    "producer.compression.type": "gzip",
    "refresh.topics.enabled": "false",
    "refresh.topics.interval.seconds": "7",
    "sync.topic.configs.enabled": "false",
    "sync.topic.configs.interval.seconds": "7",
    "sync.topic.acls.enabled": "false",
    "sync.topic.acls.interval.seconds": "7",
    "srm.acl.prune": "true",
    "srm.original.driver.check.enabled": "false",
    "srm.replication.policy": "mine",
    "group.id": "mm2",
    "replication.factor": "1",
    "offset-syncs.topic.replication.factor": "1",
    "heartbeats.topic.replication.factor": "1",
    "offset.storage.replication.factor": "1",
    "config.storage.replication.factor": "1",
    "status.storage.replication.factor": "1",
    "offset.storage.partitions": "1",
    "status.storage.partitions": "1",
}
# settings of the checkpoint connector, which its tasks and the planner take over while they run
CHECKPOINT_VALUES = {
    "emit.checkpoints.enabled": "false",
    "emit.checkpoints.interval.seconds": "7",
    "refresh.groups.enabled": "false",
    "refresh.groups.interval.seconds": "7",
    "sync.group.offsets.enabled": "true",
    "sync.group.offsets.interval.seconds": "7",
    "cloudera.reverse.checkpointing.enabled": "true",
    "checkpoints.topic.replication.factor": "1",
}
# settings that are fields of the flow in the desired document
FIELDS: dict[str, Callable[[DesiredFlow], DesiredFlow]] = {
    "enabled": lambda flow: replace(flow, enabled=False),
    "emit.heartbeats.enabled": lambda flow: replace(flow, heartbeats=False),
    "emit.heartbeats.interval.seconds": lambda flow: replace(
        flow, connectors=ConnectorSettings(heartbeat={"emit.heartbeats.interval.seconds": "1"})
    ),
    "tasks.max": lambda flow: replace(flow, tasks_max=2),
    "topics": lambda flow: replace(flow, topics=replace(flow.topics, allow=("a.*",))),
    "topics.exclude": lambda flow: replace(flow, topics=replace(flow.topics, deny=("a.*",))),
    "groups": lambda flow: replace(flow, groups=replace(flow.groups, allow=("a.*",))),
    "groups.exclude": lambda flow: replace(flow, groups=replace(flow.groups, deny=("a.*",))),
    "srm.start": lambda flow: replace(flow, start="latest"),
    "consumer.auto.offset.reset": lambda flow: replace(flow, start="latest"),
    "srm.gap.policy": lambda flow: replace(flow, gap_policy="stop"),
    "exactly.once.source.support": lambda flow: replace(flow, delivery="exactly_once"),
    "replication.policy.class": lambda flow: replace(flow, policy=replace(flow.policy, kind="identity")),
    "replication.policy.separator": lambda flow: replace(flow, policy=PolicyChoice(separator="-")),
    "srm.replication.policy.template": lambda flow: replace(
        flow, policy=replace(flow.policy, kind="template", template="{source}-{topic}")
    ),
    "transforms": lambda flow: replace(
        flow, connectors=ConnectorSettings(source={"transforms": "a", "transforms.a.type": "filter"})
    ),
}


def changed(key: str) -> DesiredFlow:
    if key in FIELDS:
        return FIELDS[key](FLOW)
    if key in CHECKPOINT_VALUES:
        return replace(FLOW, connectors=ConnectorSettings(checkpoint={key: CHECKPOINT_VALUES[key]}))
    return replace(FLOW, connectors=ConnectorSettings(source={key: VALUES[key]}))


def planned(flow: DesiredFlow) -> PlanDocument:
    """The plan that follows on PLAN; another number of tasks is another layout."""
    assigned = assign_slots(PLAN, (), flow.tasks_max, generation=0)
    return replace(PLAN, generation=assigned.generation, layout=assigned.layout)


@pytest.mark.parametrize("key", [*VALUES, *CHECKPOINT_VALUES, *FIELDS])
def test_a_change_is_live_or_restarts_the_slot_as_declared(key: str) -> None:
    setting = find_setting(key)
    assert setting is not None
    before, after = (build_slot_spec(flow, planned(flow), 0, EAST, WEST) for flow in (FLOW, changed(key)))

    assert is_live_change(before, after) == (setting.change == "live")
    if setting.slot_field is not None:
        value = attrgetter(setting.slot_field)
        assert value(before) != value(after)


@pytest.mark.parametrize("key", [*SECURITY_KEYS[1:], *sorted(CONNECTION_KEYS)])
def test_a_login_of_a_cluster_is_taken_over_live_and_every_other_connection_setting_restarts_the_slot(key: str) -> None:
    """As the table of cluster settings in docs/settings.md says."""
    known = replace(WEST, client=dict.fromkeys((*SECURITY_KEYS[1:], *CONNECTION_KEYS), "1"))
    before = build_slot_spec(FLOW, PLAN, 0, EAST, known)
    after = replace(before, target=replace(known, client=known.client | {key: "2"}))

    assert is_live_change(before, after) == key.startswith(("sasl.", "ssl."))


def test_no_setting_with_an_effect_is_without_a_value_to_try() -> None:
    of_flows = [setting for setting in SETTINGS if setting.role != "manager"]  # the manager's choose clusters and flows
    working = {setting.key for setting in of_flows if setting.effect != "none"}

    assert working == {*VALUES, *CHECKPOINT_VALUES, *FIELDS}
