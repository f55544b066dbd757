"""Commits of consumer groups at the source arrive at the target: as checkpoints, and as the groups' offsets there."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from confluent_kafka import Consumer
from confluent_kafka import TopicPartition as KafkaTopicPartition
from confluent_kafka.admin import AdminClient
from redis import Redis

from replication.codecs.mm2_records import Checkpoint, decode_checkpoint
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.groups.consumer_group import Commits
from replication.domain.groups.group_summary import GroupsSummary, summary_from_bytes
from replication.domain.identifiers import TaskId, TopicPartition
from replication.domain.names.internal_topics import CHECKPOINTS, RAW_METRICS
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.ports.admin import NewTopic
from replication.wire.groups.group_admin import WireGroupAdmin
from replication.worker.state import keys
from srm_cli.machine.processes import wait_until
from tests.support.drivers.whole_driver import WholeDriver
from tests.support.kafka.clusters import TwoClusters

pytestmark = [pytest.mark.kafka, pytest.mark.redis, pytest.mark.slow]
TOPIC, REMOTE = "group-orders", "east.group-orders"
RECORDS, REMOVED = 500, 100  # a record's offset on the target is smaller by those removed before the flow started
FLOW = DesiredFlow(
    source="east",
    tasks_max=2,
    topics=NamePatterns(allow=(TOPIC,)),
    groups=NamePatterns(allow=("group-.*",)),
    connectors=ConnectorSettings(
        checkpoint={
            "sync.group.offsets.enabled": "true",
            "emit.checkpoints.interval.seconds": "1",
            "sync.group.offsets.interval.seconds": "1",
            "refresh.groups.interval.seconds": "1",
        }
    ),
)
FIRST, SECOND = TaskId("east", "checkpoint", 0), TaskId("east", "checkpoint", 1)


def produce(source: ClusterClient, records: int) -> None:
    producer = ConfluentRecordProducer(source)
    for number in range(records):
        producer.send(TOPIC, key=b"%d" % number, value=b"value %d" % number, partition=0)
    producer.flush(30.0)
    producer.close()


def remove_below(source: ClusterClient, offset: int) -> None:
    admin = AdminClient({"bootstrap.servers": ",".join(source.bootstrap)})
    for future in admin.delete_records([KafkaTopicPartition(TOPIC, 0, offset)]).values():
        future.result(10)


def commit(source: ClusterClient, group: str, offset: int) -> None:
    consumer = Consumer({"bootstrap.servers": ",".join(source.bootstrap), "group.id": group})
    consumer.commit(offsets=[KafkaTopicPartition(TOPIC, 0, offset, metadata="by test")], asynchronous=False)
    consumer.close()


def checkpoints(target: ClusterClient) -> Mapping[str, Checkpoint]:
    """The newest of each group."""
    log = KafkaRecordLog(target)
    found = [decode_checkpoint(each.key, each.value) for each in log.read_to_end(CHECKPOINTS.name("east"))]
    log.close()
    return {each.group: each for each in found}


def group_metrics(target: ClusterClient) -> list[dict[str, Any]]:
    log = KafkaRecordLog(target)
    found = [json.loads(each.value or b"{}") for each in log.read_to_end(RAW_METRICS.name("east"))]
    log.close()
    return [each for each in found if each.get("kind") == "group"]


def target_commits(target: ClusterClient, group: str) -> Commits:
    admin = WireGroupAdmin(target)
    found = admin.commits([group])[group]
    admin.close()
    assert isinstance(found, Mapping)
    return found


def summary(driver: WholeDriver, task: TaskId) -> GroupsSummary | None:
    with Redis.from_url(driver.redis.url) as client:
        raw = client.get(keys.groups("west", task))
    return summary_from_bytes(raw) if isinstance(raw, bytes) else None


def live(driver: WholeDriver, task: TaskId) -> dict[str, Any]:
    with Redis.from_url(driver.redis.url) as client:
        raw = client.get(keys.live("west", task))
    return json.loads(raw) if isinstance(raw, bytes) else {}


def test_commits_become_checkpoints_with_exact_offsets_and_the_groups_offsets_on_the_target(
    driver: WholeDriver, two_clusters: TwoClusters
) -> None:
    source = ClusterClient(alias="east", bootstrap=(two_clusters.source.bootstrap,))
    target = ClusterClient(alias="west", bootstrap=(two_clusters.target.bootstrap,))
    admin = open_admin(source)
    admin.create_topics([NewTopic(name=TOPIC, partitions=1, replication_factor=1)])
    admin.close()
    produce(source, RECORDS)
    remove_below(source, REMOVED)
    commit(source, "group-a", 300)
    commit(source, "other", 400)
    driver.publish(two_clusters, FLOW)
    driver.start("control")
    driver.start("data")

    def downstream(group: str) -> int | None:
        found = checkpoints(target).get(group)
        return None if found is None else found.downstream_offset

    assert wait_until(lambda: downstream("group-a") == 300 - REMOVED, 60.0, 0.5), (checkpoints(target), driver.logs())
    first = checkpoints(target)["group-a"]
    assert (first.remote, first.upstream_offset, first.metadata) == (TopicPartition(REMOTE, 0), 300, "by test\0")
    assert wait_until(
        lambda: target_commits(target, "group-a").get(TopicPartition(REMOTE, 0)) is not None, 20.0, 0.5
    ), driver.logs()
    assert target_commits(target, "group-a")[TopicPartition(REMOTE, 0)].offset == 300 - REMOVED

    slots = live(driver, TaskId("east", "source", 0))
    commit(source, "group-a", 450)
    commit(source, "group-b", 200)  # a second group brings the second task
    assert wait_until(lambda: downstream("group-a") == 450 - REMOVED, 20.0, 0.5), driver.logs()
    assert wait_until(lambda: downstream("group-b") == 200 - REMOVED, 30.0, 0.5), driver.logs()
    assert "other" not in checkpoints(target)

    assert wait_until(lambda: summary(driver, SECOND) is not None, 20.0, 0.5), driver.logs()
    found = [each for task in (FIRST, SECOND) for each in getattr(summary(driver, task), "groups", ())]
    assert {each.group: each.readiness for each in found} == {"group-a": "ready", "group-b": "ready"}
    state = live(driver, FIRST)
    assert (state["state"], state["groups"]["total"], state["interval_ms"]) == ("running", 1, 1_000)
    after = live(driver, TaskId("east", "source", 0))
    assert (after["since_ms"], after["generation"], after["plan_version"]) == (
        slots["since_ms"],
        slots["generation"],
        slots["plan_version"],
    )

    def metric_rows() -> list[list[object]]:
        return [row[:6] for record in group_metrics(target) for row in record["groups"]]

    newest = ["group-a", TOPIC, 0, 450, 450, RECORDS]
    assert wait_until(lambda: newest in metric_rows(), 20.0, 0.5), (metric_rows(), driver.logs())
