"""The behaviour of every adapter of the group port, in memory and on a real broker."""

import uuid
from collections.abc import Iterator
from functools import partial

import pytest

from replication.domain.errors import ClusterUnreachableError
from replication.domain.groups.consumer_group import Commit, GroupDescription, GroupProblem, GroupType
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import ClusterClient
from replication.memory.broker import MemoryCluster
from replication.memory.groups import MemoryGroupAdmin
from replication.ports.groups.group_admin import GroupAdmin
from replication.wire.groups.group_admin import WireGroupAdmin
from tests.contract.control_ports import BOTH
from tests.contract.group_stages import GroupStage, KafkaStage, MemoryStage
from tests.support.eventually import eventually

LEFT_S = 20.0


@pytest.fixture(params=BOTH)
def stage(request: pytest.FixtureRequest) -> Iterator[GroupStage]:
    made: GroupStage
    if request.param == "memory":
        made = MemoryStage()
    else:
        bootstrap = request.getfixturevalue("kafka_cluster").bootstrap
        made = KafkaStage(WireGroupAdmin(ClusterClient(alias="here", bootstrap=(bootstrap,))), bootstrap)
    yield made
    made.admin.close()


@pytest.fixture(params=BOTH)
def dead_admin(request: pytest.FixtureRequest) -> Iterator[GroupAdmin]:
    cluster = MemoryCluster("gone")
    cluster.is_up = False
    client = ClusterClient(alias="gone", bootstrap=("127.0.0.1:1",))
    made: GroupAdmin = MemoryGroupAdmin(cluster) if request.param == "memory" else WireGroupAdmin(client)
    yield made
    made.close()


@pytest.fixture
def name() -> str:
    return f"group-{uuid.uuid4().hex[:8]}"


def place(topic: str, partition: int = 0) -> TopicPartition:
    return TopicPartition(topic, partition)


def described(stage: GroupStage, group: str) -> GroupDescription:
    found = stage.admin.describe([group])[group]
    assert isinstance(found, GroupDescription)
    return found


def test_a_commit_without_members_makes_an_empty_group(stage: GroupStage, name: str) -> None:
    stage.create(name, 2)
    wanted = {place(name, 0): Commit(5, "five"), place(name, 1): Commit(0)}

    assert stage.admin.alter({name: wanted}) == {name: dict.fromkeys(wanted)}

    assert stage.admin.commits([name]) == {name: wanted}
    listed = stage.admin.list_groups()[name]
    assert (listed.name, listed.type, listed.state) == (name, "classic", "empty")
    assert (described(stage, name).state, described(stage, name).members) == ("empty", 0)


def test_commits_of_many_groups_come_with_each_of_them(stage: GroupStage, name: str) -> None:
    stage.create(name, 3)
    wanted = {f"{name}-{number}": {place(name, number % 3): Commit(number)} for number in range(40)}

    stage.admin.alter(wanted)

    assert stage.admin.commits(list(wanted)) == wanted
    assert wanted.keys() <= stage.admin.list_groups().keys()


def test_an_altered_commit_leaves_the_others_of_its_group(stage: GroupStage, name: str) -> None:
    stage.create(name, 2)
    stage.admin.alter({name: {place(name, 0): Commit(5), place(name, 1): Commit(6)}})

    stage.admin.alter({name: {place(name, 1): Commit(2)}})

    assert stage.admin.commits([name]) == {name: {place(name, 0): Commit(5), place(name, 1): Commit(2)}}


@pytest.mark.parametrize("metadata", ["", "a\0b", "äß€😀", "x" * 4_096])
def test_metadata_is_kept_byte_for_byte(stage: GroupStage, name: str, metadata: str) -> None:
    stage.create(name)

    stage.admin.alter({name: {place(name): Commit(7, metadata)}})

    assert stage.admin.commits([name]) == {name: {place(name): Commit(7, metadata)}}


def test_a_group_that_does_not_exist_has_no_commits_and_is_dead(stage: GroupStage, name: str) -> None:
    assert stage.admin.commits([name]) == {name: {}}
    found = described(stage, name)
    assert (found.name, found.state, found.members, found.topics) == (name, "dead", 0, None)
    assert name not in stage.admin.list_groups()


def test_nothing_is_asked_for_no_groups(stage: GroupStage) -> None:
    assert stage.admin.commits([]) == {}
    assert stage.admin.describe([]) == {}
    assert stage.admin.alter({}) == {}
    assert stage.admin.group_operations([]) == {}


@pytest.mark.parametrize("group_type", ["classic", "consumer"])
def test_a_group_with_a_member_is_described_and_refuses_commits(
    stage: GroupStage, name: str, group_type: GroupType
) -> None:
    stage.create(name)
    with stage.member(name, name, group_type):
        eventually(lambda: described(stage, name).state == "active", LEFT_S, "the group is active")
        found = described(stage, name)
        assert (found.type, found.members, found.topics) == (group_type, 1, frozenset({name}))
        listed = stage.admin.list_groups()[name]
        assert (listed.type, listed.state, listed.protocol_type) == (group_type, "active", "consumer")

        refused = stage.admin.alter({name: {place(name): Commit(3)}})[name][place(name)]
        assert refused is not None
        assert refused.code == "UNKNOWN_MEMBER_ID"
        assert stage.admin.commits([name]) == {name: {}}

    eventually(lambda: described(stage, name).members == 0, LEFT_S, "the member has left")
    eventually(partial(_is_written, stage, name), LEFT_S, "the group takes a commit")
    assert stage.admin.commits([name]) == {name: {place(name): Commit(3)}}


def _is_written(stage: GroupStage, name: str) -> bool:
    return stage.admin.alter({name: {place(name): Commit(3)}})[name][place(name)] is None


def test_one_refused_group_does_not_stop_its_neighbours(stage: GroupStage, name: str) -> None:
    stage.create(name)
    with stage.member(name, name):
        receipts = stage.admin.alter({each: {place(name): Commit(1)} for each in (name, f"{name}-free")})

    assert receipts[f"{name}-free"] == {place(name): None}
    assert receipts[name][place(name)] is not None


def test_a_partition_that_does_not_exist_is_refused_alone(stage: GroupStage, name: str) -> None:
    stage.create(name)
    missing, too_long = place(f"{name}-missing"), place(name, 1)

    receipts = stage.admin.alter({name: {place(name): Commit(1), missing: Commit(1), too_long: Commit(1)}})[name]

    assert receipts[place(name)] is None
    for each in (missing, too_long):
        refused = receipts[each]
        assert isinstance(refused, GroupProblem)
        assert refused.code == "UNKNOWN_TOPIC_OR_PARTITION"
        assert str(each) in refused.text


def test_metadata_above_the_brokers_limit_is_refused_alone(stage: GroupStage, name: str) -> None:
    stage.create(name, 2)

    receipts = stage.admin.alter({name: {place(name): Commit(1, "x" * 4_097), place(name, 1): Commit(1)}})[name]

    refused = receipts[place(name)]
    assert refused is not None
    assert (refused.code, receipts[place(name, 1)]) == ("OFFSET_METADATA_TOO_LARGE", None)


@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_counts_when_its_transaction_is_committed(stage: GroupStage, name: str, committed: bool) -> None:
    stage.create(name, 2)
    before = {place(name, 0): Commit(5), place(name, 1): Commit(6)}
    stage.admin.alter({name: before})
    end = stage.transaction(name, {place(name, 0): 9})

    assert stage.admin.commits([name]) == {name: before}

    end(committed)
    after = before | {place(name, 0): Commit(9)} if committed else before
    eventually(lambda: stage.admin.commits([name]) == {name: after}, LEFT_S, "the transaction has ended")


def test_a_deleted_group_has_no_commits(stage: GroupStage, name: str) -> None:
    stage.create(name)
    stage.admin.alter({name: {place(name): Commit(5)}})

    stage.delete(name)

    assert stage.admin.commits([name]) == {name: {}}
    assert name not in stage.admin.list_groups()


def test_everything_is_allowed_where_there_is_no_authorizer(stage: GroupStage, name: str) -> None:
    found = stage.admin.group_operations([name])

    assert found[name] >= {"read", "describe", "delete"}


def test_requests_are_counted(stage: GroupStage, name: str) -> None:
    before = stage.admin.requests

    stage.admin.commits([name])

    assert stage.admin.requests > before


def test_a_dead_cluster_is_unreachable_and_named(dead_admin: GroupAdmin, name: str) -> None:
    for ask in (dead_admin.list_groups, lambda: dead_admin.commits([name]), lambda: dead_admin.describe([name])):
        with pytest.raises(ClusterUnreachableError, match="gone"):
            ask()
