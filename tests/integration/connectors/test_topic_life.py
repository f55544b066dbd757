"""Topics that come, grow and go while a flow runs, and what the flow keeps on both clusters."""

import time

import pytest
from confluent_kafka import Consumer

from replication.domain.errors import OriginalDriverActiveError
from replication.domain.identifiers import TopicPartition
from replication.kafka.producer import ConfluentRecordProducer
from tests.integration.connectors.conftest import Planning, copied
from tests.support.kafka.kafka_records import delete_topic

pytestmark = pytest.mark.kafka

GROUP_S = 30.0


def test_slots_are_no_more_than_partitions_and_share_them_evenly(planning: Planning) -> None:
    planning.create(f"a-{planning.mark}", partitions=8)
    planning.create(f"b-{planning.mark}", partitions=2)
    planning.create(f"c-{planning.mark}", partitions=2)

    few = planning.connector(tasks_max=3).run_once(None, 0)
    many = planning.connector(tasks_max=50).run_once(None, 0)

    assert [len(slot) for slot in few.slots] == [4, 4, 4]
    assert [len(slot) for slot in many.slots] == [1] * 12


def test_topics_stay_those_of_the_start_where_refreshing_is_off(planning: Planning) -> None:
    early = planning.create(f"early-{planning.mark}")
    connector = planning.connector(settings={"refresh.topics.enabled": "false"})
    first = connector.run_once(None, 0)
    planning.create(f"late-{planning.mark}")

    assert list(copied(connector.run_once(first, 600_000))) == [early]


def test_a_topic_deleted_upstream_leaves_the_plan_and_its_copy_with_what_it_holds_stays(planning: Planning) -> None:
    gone, kept = planning.create(f"gone-{planning.mark}"), planning.create(f"kept-{planning.mark}")
    connector = planning.connector()
    first = connector.run_once(None, 0)
    producer = ConfluentRecordProducer(planning.target_client)
    producer.send(planning.remote(gone), key=None, value=b"copied before", partition=0)
    producer.flush()
    delete_topic(planning.source_client.bootstrap[0], gone)

    second = connector.run_once(first, 1)

    assert list(copied(second)) == [kept]
    assert [warning.code for warning in second.warnings] == ["upstream_topic_deleted"]
    remote = TopicPartition(planning.remote(gone), 0)
    assert planning.target.list_offsets([remote], "latest") == {remote: 1}


def test_a_remote_topic_deleted_on_the_target_comes_back_as_wide_and_configured_as_before(planning: Planning) -> None:
    name = planning.create(f"orders-{planning.mark}", partitions=3, retention_ms="500000")
    connector = planning.connector()
    first = connector.run_once(None, 0)
    delete_topic(planning.target_client.bootstrap[0], planning.remote(name))

    second = connector.run_once(first, 1)

    assert second.slots == first.slots
    assert planning.target.list_topics()[planning.remote(name)] == 3
    assert planning.chosen(planning.remote(name)) == {"retention.ms": "500000"}


def test_a_topic_the_target_refuses_is_skipped_with_the_brokers_reason_until_it_is_taken(planning: Planning) -> None:
    refused, good = planning.create(f"refused-{planning.mark}"), planning.create(f"good-{planning.mark}")
    # names that differ in dot and underscore only collide in metrics, so brokers refuse the second one
    in_the_way = planning.create(planning.remote(refused).replace(".", "_"), at=planning.target)
    connector = planning.connector()

    plan = connector.run_once(None, 0)

    assert list(copied(plan)) == [good]
    assert [skipped.topic for skipped in plan.skipped] == [refused]
    assert "collides with existing topic" in plan.skipped[0].reason

    delete_topic(planning.target_client.bootstrap[0], in_the_way)
    assert set(copied(connector.run_once(plan, 10_000))) == {good, refused}


def test_internal_topics_that_were_there_before_are_used_as_they_are(planning: Planning) -> None:
    planning.create(f"orders-{planning.mark}")
    positions = f"mm2-offsets.{planning.source_client.alias}.internal"
    planning.create(positions, partitions=7, at=planning.target, cleanup_policy="compact")

    planning.connector().run_once(None, 0)

    assert planning.target.list_topics()[positions] == 7


def test_no_topic_for_offset_syncs_where_none_are_wanted(planning: Planning) -> None:
    planning.create(f"orders-{planning.mark}")

    planning.connector(settings={"emit.offset-syncs.enabled": "false"}).run_once(None, 0)

    names = {*planning.source.list_topics(), *planning.target.list_topics()}
    syncs = {name for name in names if name.startswith("mm2-offset-syncs")}
    assert not any(planning.mark in name for name in syncs)


def test_the_target_brokers_own_replication_factor_is_used_where_asked_for(planning: Planning) -> None:
    name = planning.create(f"orders-{planning.mark}")

    plan = planning.connector(settings={"replication.factor": "-1"}).run_once(None, 0)

    assert plan.warnings == ()
    remote = planning.remote(name)
    assert planning.target.describe_topics([remote])[remote].replication_factor == 1


def test_a_member_of_mirrormakers_group_blocks_the_start_and_is_a_warning_later(planning: Planning) -> None:
    planning.create(f"orders-{planning.mark}")
    planning.create(f"any-{planning.mark}", at=planning.target)
    connector, group = planning.connector(), f"{planning.source_client.alias}-mm2"
    plan = connector.run_once(None, 0)
    member = Consumer({"bootstrap.servers": planning.target_client.bootstrap[0], "group.id": group})
    try:
        member.subscribe([f"any-{planning.mark}"])
        deadline = time.monotonic() + GROUP_S
        while planning.target.group_members(group) == 0:
            assert time.monotonic() < deadline, "the member does not join"
            member.poll(0.2)

        with pytest.raises(OriginalDriverActiveError, match=group):
            planning.connector().run_once(None, 1)
        assert [warning.code for warning in connector.run_once(plan, 2).warnings] == ["original_driver_active"]
    finally:
        member.close()

    assert planning.connector().run_once(None, 3).generation == 1
