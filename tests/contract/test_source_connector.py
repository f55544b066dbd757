"""Planning a flow between two clusters, in memory and on real brokers."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from replication.connectors.plan.source_connector import SourceConnector
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument, plan_from_json, plan_to_json
from replication.domain.plan.topic_config import ConfigChange
from replication.memory.broker import MemoryCluster
from replication.ports.admin import NewTopic
from tests.contract.control_ports import BOTH, ControlPorts, kafka_ports, memory_ports

INTERNAL_PARTITIONS = {
    "mm2-offsets.{}.internal": 25,
    "mm2-configs.{}.internal": 1,
    "mm2-status.{}.internal": 5,
    "srm-offset-runs.{}.internal": 4,
    "srm-gaps.{}.internal": 1,
    "srm-applied.{}.internal": 1,
    "srm-metrics.{}.internal": 4,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two clusters; topics and the source's alias are named after the test, since the brokers are shared."""

    name: str
    source: ControlPorts
    target: ControlPorts

    def create(self, suffix: str, *, partitions: int = 1, **configs: str) -> str:
        topic = f"{self.name}-{suffix}"
        dotted = {key.replace("_", "."): value for key, value in configs.items()}
        self.source.admin.create_topics(
            [NewTopic(name=topic, partitions=partitions, replication_factor=1, configs=dotted)]
        )
        return topic

    def connector(self, **changes: object) -> SourceConnector:
        settings: dict[str, object] = {
            "source": self.name,
            "topics": NamePatterns(allow=(f"{self.name}-.*",)),
            "tasks_max": 2,
            "connectors": ConnectorSettings(source={"heartbeats.replication.enabled": "false"}),
            **changes,
        }
        flow = DesiredFlow(**settings)  # type: ignore[arg-type]  # the test's words for the fields
        ledger = AppliedLedger(
            f"srm-applied.{self.name}.internal", open_log=self.target.open_log, open_producer=self.target.open_producer
        )
        return SourceConnector(flow, "west", self.source.admin, self.target.admin, ledger=ledger)


@pytest.fixture(params=BOTH)
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    name = f"p{uuid.uuid4().hex[:6]}"
    if request.param == "memory":
        source, target = memory_ports(MemoryCluster(name)), memory_ports(MemoryCluster("west"))
    else:
        clusters = request.getfixturevalue("two_clusters")
        source = kafka_ports(name, clusters.source.bootstrap)
        target = kafka_ports("west", clusters.target.bootstrap)
    yield Pair(name=name, source=source, target=target)
    source.close()
    target.close()


def slots_by_partition(plan: PlanDocument) -> dict[TopicPartition, int]:
    return {planned.upstream: slot for slot in range(len(plan.slots)) for planned in plan.slot_partitions(slot)}


def test_the_first_plan_creates_the_remote_topic_and_deals_its_partitions(pair: Pair) -> None:
    topic = pair.create("orders", partitions=4, cleanup_policy="compact")

    plan = pair.connector().run_once(None, 1_000)

    remote = f"{pair.name}.{topic}"
    assert [(each.upstream, each.remote, each.partitions) for each in plan.topics] == [(topic, remote, 4)]
    assert plan.topics[0].topic_id == pair.source.admin.describe_topics([topic])[topic].topic_id
    assert (plan.topics[0].max_message_bytes, plan.topics[0].timestamp_type) == (1_048_588, "CreateTime")
    assert pair.target.admin.list_topics()[remote] == 4
    assert pair.target.admin.topic_configs([remote])[remote]["cleanup.policy"].value == "compact"
    assert [len(slot) for slot in plan.slots] == [2, 2]
    assert (plan.generation, plan.version, plan.planned_ms) == (1, 1, 1_000)
    assert plan_from_json(plan_to_json(plan)) == plan


def test_the_flows_own_internal_topics_are_created_where_they_belong(pair: Pair) -> None:
    pair.connector().run_once(None, 0)

    on_target = pair.target.admin.list_topics()
    expected = {name.format(pair.name): count for name, count in INTERNAL_PARTITIONS.items()}
    assert {name: on_target.get(name) for name in expected} == expected
    assert on_target["heartbeats"] == 1
    assert pair.source.admin.list_topics()["mm2-offset-syncs.west.internal"] == 1
    metrics, offsets = f"srm-metrics.{pair.name}.internal", f"mm2-offsets.{pair.name}.internal"
    configs = pair.target.admin.topic_configs([metrics, offsets])
    assert (configs[metrics]["cleanup.policy"].value, configs[metrics]["retention.ms"].value) == ("delete", "86400000")
    assert configs[offsets]["cleanup.policy"].value == "compact"


def test_offset_syncs_can_live_on_the_target(pair: Pair) -> None:
    settings = ConnectorSettings(source={"offset-syncs.topic.location": "target"})

    pair.connector(connectors=settings).run_once(None, 0)

    assert f"mm2-offset-syncs.{pair.name}.internal" in pair.target.admin.list_topics()


def test_nothing_changed_gives_the_very_plan_back(pair: Pair) -> None:
    pair.create("orders", partitions=3)
    connector = pair.connector()
    first = connector.run_once(None, 1_000)

    assert connector.run_once(first, 2_000) is first
    assert pair.connector().run_once(plan_from_json(plan_to_json(first)), 3_000) == first


def test_new_topics_and_partitions_join_and_nothing_moves(pair: Pair) -> None:
    topic = pair.create("a", partitions=3)
    connector = pair.connector()
    first = connector.run_once(None, 0)
    pair.source.admin.create_partitions({topic: 5})
    pair.create("b", partitions=2)

    second = connector.run_once(first, 1)

    assert (second.generation, second.version) == (1, 2)
    before, after = slots_by_partition(first), slots_by_partition(second)
    assert {partition: after[partition] for partition in before} == before
    assert len(after) == 7
    assert pair.target.admin.list_topics()[f"{pair.name}.{topic}"] == 5


def test_a_topic_that_disappears_leaves_the_plan_and_its_copy_stays(pair: Pair) -> None:
    gone, kept = pair.create("gone"), pair.create("kept")
    first = pair.connector().run_once(None, 0)

    second = pair.connector(topics=NamePatterns(allow=(f"{pair.name}-.*",), deny=(gone,))).run_once(first, 1)

    assert [topic.upstream for topic in second.topics] == [kept]
    assert f"{pair.name}.{gone}" in pair.target.admin.list_topics()


def test_another_number_of_tasks_is_another_layout(pair: Pair) -> None:
    pair.create("a", partitions=6)
    first = pair.connector().run_once(None, 0)

    second = pair.connector(tasks_max=3).run_once(first, 1)

    assert (second.generation, second.layout, second.version) == (1, 1, 2)
    assert [len(slot) for slot in second.slots] == [2, 2, 2]
    assert len(second.moved) == 2
    assert len(second.slots) == 3


def test_a_replication_factor_above_the_brokers_is_lowered_with_a_warning(pair: Pair) -> None:
    plan = pair.connector().run_once(None, 0)

    assert [warning.code for warning in plan.warnings] == ["replication_factor_clamped"]
    assert "replication.factor=2" in plan.warnings[0].text


def test_no_allowed_topic_is_an_empty_plan(pair: Pair) -> None:
    plan = pair.connector(topics=NamePatterns()).run_once(None, 0)

    assert (plan.topics, plan.slots) == ((), ())


def test_configs_follow_the_source_and_what_others_set_stays(pair: Pair) -> None:
    topic = pair.create("t", retention_ms="500000", cleanup_policy="compact")
    interval = {"sync.topic.configs.interval.seconds": "1", "heartbeats.replication.enabled": "false"}
    connector = pair.connector(connectors=ConnectorSettings(source=interval))
    first = connector.run_once(None, 0)
    remote = f"{pair.name}.{topic}"
    pair.target.admin.alter_topic_configs([ConfigChange(topic=remote, set={"min.insync.replicas": "1"})])
    pair.source.admin.alter_topic_configs(
        [ConfigChange(topic=topic, set={"max.message.bytes": "2000"}, delete=("retention.ms",))]
    )

    second = connector.run_once(first, 2_000)

    configs = pair.target.admin.topic_configs([remote])[remote]
    chosen = {name: config.value for name, config in configs.items() if config.source == "topic"}
    assert chosen == {"min.insync.replicas": "1", "max.message.bytes": "2000", "cleanup.policy": "compact"}
    assert second.topics[0].max_message_bytes == 2000
    assert connector.run_once(second, 4_000) is second


def test_what_a_flow_has_set_is_known_to_the_next_driver(pair: Pair) -> None:
    topic = pair.create("t", retention_ms="500000")
    plan = pair.connector().run_once(None, 0)
    pair.source.admin.alter_topic_configs([ConfigChange(topic=topic, set={}, delete=("retention.ms",))])

    pair.connector().run_once(plan, 1)

    remote = f"{pair.name}.{topic}"
    assert pair.target.admin.topic_configs([remote])[remote]["retention.ms"].source == "default"


def test_the_sources_defaults_can_be_pinned_on_the_remote_topic(pair: Pair) -> None:
    topic = pair.create("t")

    pair.connector(connectors=ConnectorSettings(source={"use.defaults.from": "source"})).run_once(None, 0)

    remote = f"{pair.name}.{topic}"
    assert pair.target.admin.topic_configs([remote])[remote]["retention.ms"].source == "topic"


def test_a_remote_topic_that_was_there_before_is_used_grown_and_told_of(pair: Pair) -> None:
    narrow, wide, compacted = pair.create("narrow", partitions=3), pair.create("wide"), pair.create("compacted")
    for topic, partitions, configs in (
        (narrow, 1, {}),
        (wide, 4, {"message.timestamp.type": "LogAppendTime"}),
        (compacted, 1, {"cleanup.policy": "compact"}),
    ):
        pair.target.admin.create_topics(
            [NewTopic(name=f"{pair.name}.{topic}", partitions=partitions, replication_factor=1, configs=configs)]
        )

    plan = pair.connector().run_once(None, 0)

    assert {topic.upstream: topic.partitions for topic in plan.topics} == {narrow: 3, wide: 1}
    assert [skipped.topic for skipped in plan.skipped] == [compacted]
    codes = [warning.code for warning in plan.warnings]
    assert codes == ["replication_factor_clamped", "remote_topic_wider", "remote_timestamps_replaced"]


def test_names_can_stay_or_follow_a_template(pair: Pair) -> None:
    topic = pair.create("t")
    heartbeats = NewTopic(name="heartbeats", partitions=1, replication_factor=1)
    pair.source.admin.create_topics([heartbeats])
    settings = ConnectorSettings(source={})

    same = pair.connector(policy=PolicyChoice(kind="identity"), connectors=settings).run_once(None, 0)
    template = PolicyChoice(kind="template", template="{topic}.of.{source}")
    named = pair.connector(policy=template, connectors=settings).run_once(None, 0)

    assert {each.upstream: each.remote for each in same.topics} == {
        topic: topic,
        "heartbeats": f"{pair.name}.heartbeats",
    }
    assert {each.upstream: each.remote for each in named.topics} == {
        topic: f"{topic}.of.{pair.name}",
        "heartbeats": f"{pair.name}.heartbeats",
    }
