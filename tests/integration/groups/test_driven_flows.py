"""Groups that concern two flows, with running drivers: progress that leads back from copies, and shared names."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pytest
from confluent_kafka import TopicPartition as Place

from replication.codecs.mm2_records import Checkpoint, decode_checkpoint
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.groups.group_summary import GroupSummary, SkippedGroup
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import CHECKPOINTS
from replication.domain.settings.registry.records import LOOP_PROTECTION
from srm_cli.dev_clusters.registry import LocalCluster
from tests.integration.groups.outcome_lab import committed, set_offset
from tests.support.engine.engine_fleet import SETTINGS, EngineFleet
from tests.support.groups.asking import GroupDesk
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin, create_topic, produce, read_all

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.slow]
SOON_S = 90.0
SOURCE = {**SETTINGS, "heartbeats.replication.enabled": "false", LOOP_PROTECTION.key: "producer_ids"}
CHECKPOINT = {
    "emit.checkpoints.interval.seconds": "1",
    "refresh.groups.interval.seconds": "1",
    "sync.group.offsets.enabled": "true",
    "sync.group.offsets.interval.seconds": "1",
}
REVERSE = {**CHECKPOINT, "cloudera.reverse.checkpointing.enabled": "true"}
IDENTITY = PolicyChoice(kind="identity")


@dataclass(frozen=True, slots=True)
class Names:
    """Names that no other test uses: aliases, a topic and groups."""

    mark: str

    def alias(self, letter: str) -> str:
        return f"{letter}{self.mark}"

    @property
    def topic(self) -> str:
        return f"orders-{self.mark}"

    def group(self, word: str) -> str:
        return f"{word}-{self.mark}"

    def flow(self, source: str, checkpoint: dict[str, str], policy: PolicyChoice | None = None) -> DesiredFlow:
        return DesiredFlow(
            source=self.alias(source),
            policy=policy or PolicyChoice(),
            topics=NamePatterns(allow=(self.topic,)),
            groups=NamePatterns(allow=(f".*-{self.mark}",)),
            heartbeats=False,
            connectors=ConnectorSettings(source=SOURCE, checkpoint=checkpoint),
        )


@pytest.fixture
def names(two_clusters: TwoClusters, kafka_cluster: LocalCluster) -> Iterator[Names]:
    """Removes all topics of the test after its drivers have ended: they look like flows to others on these brokers."""
    made = Names(uuid.uuid4().hex[:6])
    yield made
    for cluster in (two_clusters.source, two_clusters.target, kafka_cluster):
        client = admin(cluster.bootstrap)
        left = [topic for topic in client.list_topics(timeout=20).topics if made.mark in topic]
        for future in client.delete_topics(left).values() if left else ():
            future.result(20)


def fill(bootstrap: str, topic: str, records: int, deleted: int) -> None:
    """Create a topic whose oldest records were deleted: a record's offset on the target is smaller by them."""
    create_topic(bootstrap, topic)
    produce(bootstrap, topic, ({"value": b"%d" % number} for number in range(records)))
    place = Place(topic, 0, deleted)
    admin(bootstrap).delete_records([place])[place].result(10)


def checkpoints(bootstrap: str, source: str, group: str) -> list[Checkpoint]:
    (records,) = read_all(bootstrap, CHECKPOINTS.name(source))
    found = [decode_checkpoint(record.key, record.value) for record in records]
    return [each for each in found if each.group == group]


def is_at(found: Sequence[Checkpoint], topic: str, upstream: int, downstream: int) -> bool:
    """Return True if the newest checkpoint is this one."""
    newest = found[-1] if found else None
    return newest is not None and (newest.remote, newest.upstream_offset, newest.downstream_offset) == (
        TopicPartition(topic, 0),
        upstream,
        downstream,
    )


def summary(desk: GroupDesk, group: str) -> GroupSummary | None:
    return desk.summaries().get(group)


def causes(desk: GroupDesk, group: str) -> list[str]:
    found = summary(desk, group)
    return [] if found is None else [each.code for each in found.causes]


def test_progress_on_a_copy_leads_back_to_the_original(
    names: Names, engine_fleet: EngineFleet, two_clusters: TwoClusters
) -> None:
    here, there = two_clusters.source.bootstrap, two_clusters.target.bootstrap
    a, b, topic = names.alias("a"), names.alias("b"), names.topic
    copy, group = f"{a}.{topic}", names.group("billing")
    fleet = engine_fleet
    fleet.cluster(a, here)
    fleet.cluster(b, there)
    fill(here, topic, 100, deleted=3)
    fill(there, topic, 20, deleted=0)
    back = replace(names.flow("b", CHECKPOINT), reverse_topics=NamePatterns(allow=(copy,)))
    fleet.publish(b, names.flow("a", CHECKPOINT))
    fleet.publish(a, back)
    fleet.start("one", "control")
    fleet.start("one", "data")
    fleet.wait_level(a, b, topic, 1)
    fleet.wait_level(b, a, topic, 1)
    set_offset(there, names.group("plain"), topic, 5)  # the flow back has a task because of this group
    set_offset(there, group, copy, 40)
    desk = GroupDesk(fleet, b, a)

    fleet.wait_until(
        "the group is skipped, with the setting that translates it",
        lambda: any("cloudera.reverse.checkpointing.enabled" in each.reason for each in skipped(desk, group)),
        SOON_S,
    )
    assert committed(here, group, topic) is None
    fleet.publish(a, replace(back, connectors=replace(back.connectors, checkpoint=REVERSE)))
    fleet.wait_until("the original has the offset", lambda: committed(here, group, topic) == 43, SOON_S)

    assert is_at(checkpoints(here, b, group), topic, 40, 43)
    set_offset(there, group, copy, 70)
    fleet.wait_until("the original follows", lambda: committed(here, group, topic) == 73, SOON_S)
    assert is_at(checkpoints(here, b, group), topic, 70, 73)
    fleet.wait_until("ready", lambda: (found := summary(desk, group)) and found.readiness == "ready", SOON_S)
    (place,) = desk.group(group).partitions
    assert (place.topic, place.remote, place.kind, place.downstream) == (copy, topic, "exact", 73)
    assert skipped(desk, group) == []


def test_a_group_of_a_shared_topic_passes_no_record_of_the_target_before_the_flow_back_begins(
    names: Names, engine_fleet: EngineFleet, two_clusters: TwoClusters
) -> None:
    here, there = two_clusters.source.bootstrap, two_clusters.target.bootstrap
    a, b, topic, group = names.alias("a"), names.alias("b"), names.topic, names.group("billing")
    fleet = engine_fleet
    fleet.cluster(a, here)
    fleet.cluster(b, there)
    fill(here, topic, 100, deleted=3)
    fill(there, topic, 20, deleted=0)
    set_offset(here, group, topic, 50)
    back = names.flow("b", CHECKPOINT, IDENTITY)
    fleet.publish(a, replace(back, state="pause"))
    fleet.publish(b, names.flow("a", CHECKPOINT, IDENTITY))
    fleet.start("one", "control")
    fleet.start("one", "data")
    fleet.wait_level(a, b, topic, 1)
    desk = GroupDesk(fleet, a, b)
    fleet.wait_until("the group has an offset there", lambda: committed(there, group, topic) is not None, SOON_S)

    assert committed(there, group, topic) == 0
    (place,) = desk.group(group).partitions
    assert (place.kind, place.reason, place.downstream, place.latest) == ("bounded", "not_returned", 0, 67)

    fleet.publish(a, back)
    fleet.wait_level(b, a, topic, 1)
    set_offset(here, group, topic, 120)  # all records of both clusters
    fleet.wait_until("exact at the end", lambda: committed(there, group, topic) == 117, SOON_S)


def skipped(desk: GroupDesk, group: str) -> list[SkippedGroup]:
    return [each for each in desk.skipped() if each.group == group]


def test_a_group_that_two_flows_would_write_stays_with_the_flow_that_has_it(
    names: Names, engine_fleet: EngineFleet, two_clusters: TwoClusters, kafka_cluster: LocalCluster
) -> None:
    a, b, c, topic = names.alias("a"), names.alias("b"), names.alias("c"), names.topic
    group, own = names.group("billing"), names.group("only-b")
    fleet, target = engine_fleet, kafka_cluster.bootstrap
    sources = {a: two_clusters.source.bootstrap, b: two_clusters.target.bootstrap}
    for alias, bootstrap in sources.items():
        fleet.cluster(alias, bootstrap)
        fill(bootstrap, topic, 100, deleted=3 if alias == a else 13)
        set_offset(bootstrap, group, topic, 50)
    set_offset(sources[b], own, topic, 50)
    fleet.cluster(c, target)
    first, second = GroupDesk(fleet, a, c), GroupDesk(fleet, b, c)
    flows = names.flow("a", CHECKPOINT, IDENTITY), names.flow("b", CHECKPOINT, IDENTITY)
    fleet.publish(c, flows[0])
    fleet.start("one", "control")
    fleet.start("one", "data")
    fleet.wait_until("a has the group", lambda: committed(target, group, topic) == 47, SOON_S)

    fleet.publish(c, *flows)
    fleet.wait_until("b leaves it", lambda: causes(second, group) == ["taken_by_another_flow"], SOON_S)
    fleet.wait_until("b has its own", lambda: committed(target, own, topic) is not None, SOON_S)

    found = summary(second, group)
    assert found is not None
    assert found.readiness == "blocked"
    assert f"{a}->{c}" in found.causes[0].text
    assert topic in found.causes[0].text
    assert checkpoints(target, b, group) == []
    (left,) = second.sync(group).skipped
    assert (left.group, left.reason) == (group, found.causes[0].text)
    set_offset(sources[a], group, topic, 60)
    fleet.wait_until("a continues", lambda: committed(target, group, topic) == 57, SOON_S)
    assert causes(first, group) == []

    fleet.publish(c, replace(flows[0], groups=NamePatterns(allow=(), deny=())), flows[1])
    fleet.wait_until("b takes it over", lambda: (committed(target, group, topic) or 0) > 57, SOON_S)
    (place,) = second.group(group).partitions
    assert is_at(checkpoints(target, b, group), topic, 50, committed(target, group, topic) or 0)
    assert (place.committed, place.kind, place.downstream) == (50, "exact", committed(target, group, topic))
