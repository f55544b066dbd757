"""What a slot is told, from flow and plan."""

from dataclasses import replace

import pytest

from replication.domain.desired import ConnectorSettings, DesiredFlow
from replication.domain.identifiers import TopicPartition
from replication.domain.plan import PlanDocument, PlanTopic
from replication.domain.slot import ClusterClient
from replication.worker.slot_spec import build_slot_spec, only_partitions_differ

SOURCE = ClusterClient(alias="east", bootstrap=("e:1",))
TARGET = ClusterClient(alias="west", bootstrap=("w:1",))
TOPIC = PlanTopic(
    upstream="orders",
    remote="east.orders",
    topic_id=bytes(range(16)),
    partitions=3,
    max_message_bytes=1_000,
    timestamp_type="LogAppendTime",
)
PLAN = PlanDocument(
    target="west",
    source="east",
    generation=4,
    version=2,
    desired_revision=1,
    planned_ms=0,
    tasks_max=2,
    topics=(TOPIC,),
    slots=(((0, 0), (0, 2)), ((0, 1),)),
    older_slots=5,
)


def flow(**source_settings: str) -> DesiredFlow:
    settings = {name.replace("__", "-").replace("_", "."): value for name, value in source_settings.items()}
    return DesiredFlow(source="east", connectors=ConnectorSettings(source=settings))


def test_a_slot_gets_its_partitions_and_the_plan_it_belongs_to() -> None:
    spec = build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET)

    assert [part.upstream for part in spec.partitions] == [TopicPartition("orders", 0), TopicPartition("orders", 2)]
    assert (spec.generation, spec.plan_version, spec.retired_slots) == (4, 2, range(2, 5))
    assert spec.partitions[0].timestamp_type == "LogAppendTime"


@pytest.mark.parametrize(
    ("settings", "topic", "on_target"),
    [
        ({}, "mm2-offset-syncs.west.internal", False),
        ({"offset__syncs_topic_location": "target"}, "mm2-offset-syncs.east.internal", True),
    ],
    ids=["on the source", "on the target"],
)
def test_offset_syncs_are_named_after_the_other_cluster(settings: dict[str, str], topic: str, on_target: bool) -> None:
    spec = build_slot_spec(flow(**settings), PLAN, 0, SOURCE, TARGET)

    assert (spec.offset_syncs_topic, spec.offset_syncs_on_target) == (topic, on_target)


def test_exactly_once_reads_committed_data_whatever_is_set() -> None:
    exactly_once = replace(flow(consumer_isolation_level="read_uncommitted"), delivery="exactly_once")

    assert build_slot_spec(exactly_once, PLAN, 0, SOURCE, TARGET).isolation_level == "read_committed"
    assert build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET).isolation_level == "read_uncommitted"


@pytest.mark.parametrize("value", ["many", "-1"])
def test_a_setting_that_is_no_number_is_named(value: str) -> None:
    with pytest.raises(ValueError, match=r"offset\.lag\.max"):
        build_slot_spec(flow(offset_lag_max=value), PLAN, 0, SOURCE, TARGET)


def test_only_a_change_of_partitions_spares_the_restart() -> None:
    spec = build_slot_spec(flow(), PLAN, 0, SOURCE, TARGET)

    assert only_partitions_differ(spec, replace(spec, plan_version=3, partitions=()))
    assert not only_partitions_differ(spec, replace(spec, offset_lag_max=1))
    assert not only_partitions_differ(spec, replace(spec, generation=5))
