"""The control topic of a flow over the ports: in memory and on a real broker."""

import uuid
from collections.abc import Iterator

import pytest

from replication.domain.desired.name_lists import ListKind, NameLists, list_changes
from replication.domain.errors import ClusterUnreachableError
from replication.domain.names.internal_topics import CONTROL
from replication.lists.control_topic import ControlTopics
from replication.memory.broker import MemoryCluster
from tests.contract.control_ports import BOTH, ControlPorts, kafka_ports, memory_ports


@pytest.fixture(params=BOTH)
def ports(request: pytest.FixtureRequest) -> Iterator[ControlPorts]:
    if request.param == "memory":
        made = memory_ports(MemoryCluster("here"))
    else:
        made = kafka_ports("here", request.getfixturevalue("kafka_cluster").bootstrap)
    yield made
    made.close()


@pytest.fixture
def topics(ports: ControlPorts) -> ControlTopics:
    return ControlTopics(ports.admin, ports.log, ports.producer)


@pytest.fixture
def source() -> str:
    return f"src{uuid.uuid4().hex[:8]}"


def write(topics: ControlTopics, source: str, kind: ListKind = "topics", **changes: tuple[str, ...]) -> NameLists:
    topics.write(source, list_changes(kind, **changes), by="ann", replication_factor=3)
    return topics.read(source)


def test_without_a_topic_the_lists_are_empty(topics: ControlTopics, source: str) -> None:
    assert topics.read(source) == NameLists()
    assert topics.states([source]) == {}


def test_the_first_change_creates_a_compacted_topic_with_one_partition(
    topics: ControlTopics, ports: ControlPorts, source: str
) -> None:
    write(topics, source, add=("orders.*",))

    name = CONTROL.name(source)
    assert ports.admin.list_topics()[name] == 1
    assert ports.admin.topic_configs([name])[name]["cleanup.policy"].value == "compact"


def test_what_is_written_is_read_back_with_author_and_offset(topics: ControlTopics, source: str) -> None:
    lists = write(topics, source, add=("orders.*",), add_denied=("orders-tmp",))

    assert [(each.place.side, each.place.pattern, each.offset, each.by) for each in lists.entries] == [
        ("allow", "orders.*", 0, "ann"),
        ("deny", "orders-tmp", 1, "ann"),
    ]
    assert lists.offset == 1
    assert topics.states([source, "other"])[source].end_offset == 2


def test_lists_are_separate_and_removal_takes_one_pattern_away(topics: ControlTopics, source: str) -> None:
    write(topics, source, add=("a", "b"), add_denied=("a",))
    write(topics, source, "groups", add=("a",))

    lists = write(topics, source, remove=("a",))

    assert [each.place.pattern for each in lists.of("topics", "allow")] == ["b"]
    assert [each.place.pattern for each in lists.of("topics", "deny")] == ["a"]
    assert [each.place.pattern for each in lists.of("groups", "allow")] == ["a"]


def test_two_writers_do_not_undo_each_other(topics: ControlTopics, ports: ControlPorts, source: str) -> None:
    other = ControlTopics(ports.admin, ports.open_log(), ports.open_producer())
    write(topics, source, add=("a",))

    write(other, source, add=("b",))

    assert [each.place.pattern for each in topics.read(source).of("topics", "allow")] == ["a", "b"]


def test_a_bad_pattern_or_record_of_others_is_reported_and_stops_nothing(
    topics: ControlTopics, ports: ControlPorts, source: str
) -> None:
    write(topics, source, add=("a",))
    name = CONTROL.name(source)
    for key, value in ((b"topics:allow:(", b""), (b"nonsense", b"x"), (b"topics:deny:z", b'{"v":9}')):
        ports.producer.send(name, key=key, value=value)
    ports.producer.send(name, key=b"nonsense too", value=None)
    ports.producer.flush()

    lists = topics.read(source)

    assert lists.patterns("topics").allow == ("a",)
    assert lists.patterns("topics").deny == ()
    assert [each.problem is None for each in lists.of("topics", "allow")] == [False, True]
    assert [each.offset for each in lists.unreadable] == [2, 3]
    assert lists.offset == 4


def test_a_dead_cluster_takes_no_change_and_says_so() -> None:
    cluster = MemoryCluster("gone")
    made = memory_ports(cluster)
    topics = ControlTopics(made.admin, made.log, made.producer)
    write(topics, "east", add=("a",))
    cluster.is_up = False

    with pytest.raises(ClusterUnreachableError):
        write(topics, "east", add=("b",))

    cluster.is_up = True
    assert [each.place.pattern for each in topics.read("east").entries] == ["a"]
