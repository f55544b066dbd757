"""The configs that real remote topics take over: by their origin at the source, by name, and only where enabled."""

from collections.abc import Iterator

import pytest
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

from replication.domain.plan.topic_config import ConfigChange
from replication.ports.admin import NewTopic
from tests.integration.connectors.conftest import STATIC_RETENTION_MS, Planning
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin

pytestmark = pytest.mark.kafka

EVERY_RUN = {"sync.topic.configs.interval.seconds": "1"}
COPIED = {
    "cleanup_policy": "compact,delete",
    "compression_type": "lz4",
    "max_message_bytes": "2000000",
    "retention_ms": "31536000000000",
    "segment_bytes": "1048576",
}
OMITTED = {
    "min_insync_replicas": "1",
    "message_timestamp_type": "LogAppendTime",
    "unclean_leader_election_enable": "true",
    "leader_replication_throttled_replicas": "*",
    "follower_replication_throttled_replicas": "*",
}


def dotted(configs: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "."): value for name, value in configs.items()}


@pytest.fixture
def broker_retention_ms(own_pair: TwoClusters) -> Iterator[str]:
    """Set on the source's broker while it runs."""

    def alter(operation: AlterConfigOpType, value: str | None) -> None:
        entry = ConfigEntry("log.retention.ms", value, incremental_operation=operation)
        resource = ConfigResource(ResourceType.BROKER, "1", incremental_configs=[entry])
        admin(own_pair.source.bootstrap).incremental_alter_configs([resource])[resource].result(10)

    alter(AlterConfigOpType.SET, "888800000")
    yield "888800000"
    alter(AlterConfigOpType.DELETE, None)


@pytest.mark.parametrize("when", ["at creation", "later"])
def test_what_the_topic_was_given_is_taken_over_except_what_is_excluded_by_default(
    planning: Planning, when: str
) -> None:
    name = f"orders-{planning.mark}"
    given = {} if when == "later" else dotted(COPIED | OMITTED)
    topic = NewTopic(name=name, partitions=1, replication_factor=1, configs=given)
    assert planning.source.create_topics([topic]) == ()
    connector = planning.connector(settings=EVERY_RUN)
    plan = connector.run_once(None, 0)
    if when == "later":
        change = ConfigChange(topic=name, set=dotted(COPIED | OMITTED))
        assert planning.source.alter_topic_configs([change]) == ()
        connector.run_once(plan, 2_000)

    assert planning.chosen(planning.remote(name)) == dotted(COPIED)


def test_an_exclude_list_of_ones_own_replaces_the_one_by_default(planning: Planning) -> None:
    name = planning.create(
        f"orders-{planning.mark}", retention_ms="500000", retention_bytes="9", min_insync_replicas="1"
    )

    planning.connector(settings={"config.properties.exclude": r"retention\..*"}).run_once(None, 0)

    assert planning.chosen(planning.remote(name)) == {"min.insync.replicas": "1"}


def test_what_stands_in_the_brokers_file_stays_there(planning: Planning) -> None:
    name = planning.create(f"orders-{planning.mark}")
    at_source = planning.source.topic_configs([name])[name]["retention.ms"]
    assert (at_source.value, at_source.source) == (STATIC_RETENTION_MS, "static_broker")

    planning.connector(settings={"use.defaults.from": "source"}).run_once(None, 0)

    chosen = planning.chosen(planning.remote(name))
    assert "retention.ms" not in chosen
    assert chosen["max.message.bytes"] == "1048588"  # a default of Kafka's own is pinned


def test_what_brokers_were_told_while_they_ran_is_taken_over(planning: Planning, broker_retention_ms: str) -> None:
    name = planning.create(f"orders-{planning.mark}")

    planning.connector().run_once(None, 0)

    assert planning.chosen(planning.remote(name)) == {"retention.ms": broker_retention_ms}


def test_configs_stay_as_created_where_syncing_is_off(planning: Planning) -> None:
    name = planning.create(f"orders-{planning.mark}", retention_ms="500000")
    connector = planning.connector(settings=EVERY_RUN | {"sync.topic.configs.enabled": "false"})
    plan = connector.run_once(None, 0)
    planning.source.alter_topic_configs([ConfigChange(topic=name, set={"retention.ms": "600000"})])

    connector.run_once(plan, 2_000)

    assert planning.chosen(planning.remote(name)) == {"retention.ms": "500000"}


def test_configs_wait_for_their_interval(planning: Planning) -> None:
    name = planning.create(f"orders-{planning.mark}", retention_ms="500000")
    connector = planning.connector(settings={"sync.topic.configs.interval.seconds": "60"})
    plan = connector.run_once(None, 0)
    planning.source.alter_topic_configs([ConfigChange(topic=name, set={"retention.ms": "600000"})])

    early = connector.run_once(plan, 30_000)
    assert planning.chosen(planning.remote(name)) == {"retention.ms": "500000"}

    connector.run_once(early, 61_000)
    assert planning.chosen(planning.remote(name)) == {"retention.ms": "600000"}
