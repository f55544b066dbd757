"""The behaviour of every adapter of the admin, producer and record log ports, in memory and on a real broker."""

from collections.abc import Iterator

import pytest

from replication.domain.errors import ClusterUnreachableError
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.acl import AclEntry, TopicAcl
from replication.domain.plan.topic_config import ConfigChange
from replication.memory.broker import ALL_TOPIC_OPERATIONS
from tests.contract.control_ports import ALL, BOTH, ControlPorts, new_topic, open_dead_ports, open_ports


@pytest.fixture(params=BOTH)
def ports(request: pytest.FixtureRequest) -> Iterator[ControlPorts]:
    made = open_ports(request.param, request)
    yield made
    made.close()


@pytest.fixture(params=ALL)
def config_ports(request: pytest.FixtureRequest) -> Iterator[ControlPorts]:
    made = open_ports(request.param, request)
    yield made
    made.close()


@pytest.fixture(params=ALL)
def dead_ports(request: pytest.FixtureRequest) -> Iterator[ControlPorts]:
    made = open_dead_ports(request.param)
    yield made
    made.close()


def test_a_created_topic_has_its_partitions_and_an_id(ports: ControlPorts, topic: str) -> None:
    assert ports.admin.create_topics([new_topic(topic, partitions=3)]) == ()

    assert ports.admin.list_topics()[topic] == 3
    described = ports.admin.describe_topics([topic])[topic]
    assert (described.partitions, described.replication_factor, len(described.topic_id)) == (3, 1, 16)
    assert described.topic_id != bytes(16)


def test_creating_an_existing_topic_is_no_error_and_changes_nothing(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic, partitions=2)])
    before = ports.admin.describe_topics([topic])

    assert ports.admin.create_topics([new_topic(topic, partitions=5)]) == ()

    assert ports.admin.describe_topics([topic]) == before


def test_more_than_one_request_full_of_topics_is_created(ports: ControlPorts, topic: str) -> None:
    names = [f"{topic}-{number}" for number in range(60)]

    assert ports.admin.create_topics([new_topic(name) for name in names]) == ()

    assert set(names) <= set(ports.admin.list_topics())


def test_a_refused_topic_does_not_stop_its_neighbours(ports: ControlPorts, topic: str) -> None:
    bad = new_topic(f"{topic}-bad", nonsense_key="1")

    refused = ports.admin.create_topics([bad, new_topic(topic)])

    assert [each.topic for each in refused] == [f"{topic}-bad"]
    assert refused[0].code == "INVALID_CONFIG"
    assert topic in ports.admin.list_topics()


def test_a_replication_factor_above_the_brokers_is_refused(ports: ControlPorts, topic: str) -> None:
    refused = ports.admin.create_topics([new_topic(topic, factor=9)])

    assert [each.code for each in refused] == ["INVALID_REPLICATION_FACTOR"]


def test_new_topics_are_checked_without_being_created(ports: ControlPorts, topic: str) -> None:
    refused = ports.admin.check_new_topics(
        [new_topic(topic), new_topic(f"{topic}-bad", nonsense_key="1"), new_topic(f"{topic}-wide", factor=9)]
    )

    assert {each.topic: each.code for each in refused} == {
        f"{topic}-bad": "INVALID_CONFIG",
        f"{topic}-wide": "INVALID_REPLICATION_FACTOR",
    }
    assert not {name for name in ports.admin.list_topics() if name.startswith(topic)}


def test_checking_a_topic_that_exists_is_no_refusal(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic)])

    assert ports.admin.check_new_topics([new_topic(topic)]) == ()


def test_partitions_are_added_once_and_asking_again_is_no_error(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic, partitions=1)])

    assert ports.admin.create_partitions({topic: 4}) == ()
    assert ports.admin.create_partitions({topic: 4}) == ()

    assert ports.admin.list_topics()[topic] == 4


def test_looking_at_a_missing_topic_tells_nothing_and_creates_nothing(ports: ControlPorts, topic: str) -> None:
    assert ports.admin.describe_topics([topic]) == {}
    assert ports.admin.topic_configs([topic]) == {}
    assert ports.admin.list_offsets([TopicPartition(topic, 0)], "latest") == {}
    assert ports.admin.available_offsets([TopicPartition(topic, 0)], "latest") == {}
    assert list(ports.log.read_to_end(topic)) == []
    assert ports.log.newest(topic) is None

    assert topic not in ports.admin.list_topics()


def test_configs_tell_what_somebody_chose_from_defaults(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic, cleanup_policy="compact")])

    configs = ports.admin.topic_configs([topic])[topic]

    assert (configs["cleanup.policy"].value, configs["cleanup.policy"].source) == ("compact", "topic")
    assert (configs["max.message.bytes"].value, configs["max.message.bytes"].source) == ("1048588", "default")


def test_chosen_configs_are_those_that_are_named(config_ports: ControlPorts, topic: str) -> None:
    other = f"{topic}-2"
    config_ports.admin.create_topics([new_topic(topic, cleanup_policy="compact"), new_topic(other)])

    found = config_ports.admin.chosen_configs([topic, other, f"{topic}-missing"], ["cleanup.policy"])

    assert {name: [*configs] for name, configs in found.items()} == {
        topic: ["cleanup.policy"],
        other: ["cleanup.policy"],
    }
    policy = found[topic]["cleanup.policy"]
    assert (policy.value, policy.source) == ("compact", "topic")
    assert found[other]["cleanup.policy"].source == "default"


def test_single_configs_are_set_and_deleted_and_the_others_stay(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic, cleanup_policy="compact", retention_ms="5000")])
    change = ConfigChange(topic=topic, set={"max.message.bytes": "2000"}, delete=("retention.ms",))

    assert ports.admin.alter_topic_configs([change]) == ()

    configs = ports.admin.topic_configs([topic])[topic]
    chosen = {name: each.value for name, each in configs.items() if each.source == "topic"}
    assert chosen == {"cleanup.policy": "compact", "max.message.bytes": "2000"}


def test_a_refused_config_leaves_its_topic_as_it_was_and_its_neighbours_are_altered(
    ports: ControlPorts, topic: str
) -> None:
    ports.admin.create_topics([new_topic(topic), new_topic(f"{topic}-2")])
    wrong = ConfigChange(topic=topic, set={"retention.ms": "5000", "nonsense.key": "1"})
    right = ConfigChange(topic=f"{topic}-2", set={"retention.ms": "5000"})

    refused = ports.admin.alter_topic_configs([wrong, right])

    assert [(each.topic, each.code) for each in refused] == [(topic, "INVALID_CONFIG")]
    configs = ports.admin.topic_configs([topic, f"{topic}-2"])
    assert configs[topic]["retention.ms"].source == "default"
    assert configs[f"{topic}-2"]["retention.ms"].value == "5000"


def test_without_an_authorizer_everything_is_allowed(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic)])

    assert ports.admin.topic_operations([topic, f"{topic}-missing"]) == {topic: ALL_TOPIC_OPERATIONS}
    assert ports.admin.cluster_operations() >= {"create", "alter", "describe"}


def test_without_an_authorizer_there_are_no_acls_and_none_can_be_made(ports: ControlPorts, topic: str) -> None:
    entry = AclEntry(principal="User:ann", host="*", operation="read", permission="allow")
    acl = TopicAcl(topic=topic, entry=entry)

    assert ports.admin.topic_acls() == ()
    assert ports.admin.group_acls() == ()
    for refused in (ports.admin.create_acls([acl]), ports.admin.delete_acls([acl])):
        assert [(each.acl, each.code) for each in refused] == [(acl, "SECURITY_DISABLED")]


def test_the_newest_record_is_the_last_one(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic)])
    assert ports.log.newest(topic) is None
    for number in range(30):
        ports.producer.send(topic, key=b"k", value=str(number).encode(), partition=0)
    ports.producer.flush()

    newest = ports.log.newest(topic)

    assert newest is not None
    assert (newest.value, newest.offset) == (b"29", 29)


def test_records_are_read_from_an_offset_to_another_and_no_further(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic)])
    for number in range(30):
        ports.producer.send(topic, key=b"k", value=str(number).encode(), partition=0)
    ports.producer.flush()

    part = [record.offset for record in ports.log.read_from(topic, 0, 10, end=13)]
    rest = [record.offset for record in ports.log.read_from(topic, 0, 27, isolation="read_committed")]
    first = next(iter(ports.log.read_from(topic, 0, -5)))
    again = [record.offset for record in ports.log.read_from(topic, 0, 28)]

    assert (part, rest, first.offset, again) == ([10, 11, 12], [27, 28, 29], 0, [28, 29])
    assert list(ports.log.read_from(topic, 0, 30)) == []
    assert list(ports.log.read_from(f"{topic}-missing", 0, 0)) == []


def test_a_time_has_the_first_offset_that_is_as_new(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic, partitions=2, retention_ms="-1")])
    for number in range(10):
        ports.producer.send(topic, key=None, value=b"", partition=1, timestamp_ms=1_000_000 + number)
    ports.producer.flush()
    partitions = [TopicPartition(topic, 0), TopicPartition(topic, 1)]

    assert ports.admin.offsets_at(partitions, 1_000_004) == {partitions[1]: 4}
    assert ports.admin.offsets_at(partitions, 5) == {partitions[1]: 0}
    assert ports.admin.offsets_at(partitions, 2_000_000) == {}


def test_offsets_are_where_the_log_starts_and_ends(ports: ControlPorts, topic: str) -> None:
    ports.admin.create_topics([new_topic(topic, partitions=2)])
    ports.producer.send(topic, key=None, value=b"", partition=1)
    ports.producer.flush()
    partitions = [TopicPartition(topic, 0), TopicPartition(topic, 1)]

    assert ports.admin.list_offsets(partitions, "latest") == dict(zip(partitions, (0, 1), strict=True))
    assert ports.admin.list_offsets(partitions, "earliest") == dict(zip(partitions, (0, 0), strict=True))


def test_an_unknown_group_has_no_members(ports: ControlPorts, topic: str) -> None:
    assert ports.admin.group_members(topic) == 0


def test_the_cluster_tells_its_brokers(ports: ControlPorts) -> None:
    assert ports.admin.describe_cluster().brokers == 1


def test_a_dead_cluster_is_named_by_every_call(dead_ports: ControlPorts) -> None:
    with pytest.raises(ClusterUnreachableError, match="cluster gone"):
        dead_ports.admin.list_topics()
    with pytest.raises(ClusterUnreachableError, match="cluster gone"):
        dead_ports.admin.chosen_configs(["t"], ["cleanup.policy"])


@pytest.mark.timeout(30)
def test_a_dead_cluster_fails_the_reading_in_time(dead_ports: ControlPorts) -> None:
    with pytest.raises(ClusterUnreachableError, match="cluster gone"):
        list(dead_ports.log.read_to_end("t"))
