"""The rights of clients on the groups of a cluster in memory."""

import pytest

from replication.domain.groups.consumer_group import Commit, GroupProblem
from replication.domain.identifiers import TopicPartition
from replication.memory.broker import MemoryCluster
from replication.memory.groups import MemoryGroupAdmin

PLACE = TopicPartition("orders", 0)


@pytest.fixture
def cluster() -> MemoryCluster:
    made = MemoryCluster("here")
    made.create("orders")
    made.group("app").commits[PLACE] = Commit(5)
    made.group("other").commits[PLACE] = Commit(6)
    return made


@pytest.fixture
def admin(cluster: MemoryCluster) -> MemoryGroupAdmin:
    return MemoryGroupAdmin(cluster)


def test_a_group_without_the_right_to_describe_is_refused_and_its_neighbour_answered(
    cluster: MemoryCluster, admin: MemoryGroupAdmin
) -> None:
    cluster.group("app").operations = frozenset()

    found = admin.commits(["app", "other"])

    refused = found["app"]
    assert isinstance(refused, GroupProblem)
    assert refused.code == "GROUP_AUTHORIZATION_FAILED"
    assert "grant DESCRIBE on group app" in refused.text
    assert found["other"] == {PLACE: Commit(6)}
    assert isinstance(admin.describe(["app"])["app"], GroupProblem)
    assert set(admin.list_groups()) == {"other"}
    assert admin.group_operations(["app"]) == {"app": frozenset()}


def test_a_group_without_the_right_to_read_is_not_written(cluster: MemoryCluster, admin: MemoryGroupAdmin) -> None:
    cluster.group("app").operations = frozenset({"describe"})

    refused = admin.alter({"app": {PLACE: Commit(9)}})["app"][PLACE]

    assert refused is not None
    assert "grant READ on group app" in refused.text
    assert admin.commits(["app"]) == {"app": {PLACE: Commit(5)}}


def test_rights_on_topics_limit_what_is_seen_and_written(cluster: MemoryCluster, admin: MemoryGroupAdmin) -> None:
    cluster.topic_operations["orders"] = frozenset()

    assert admin.commits(["app"]) == {"app": {}}
    refused = admin.alter({"app": {PLACE: Commit(9)}})["app"][PLACE]
    assert refused is not None
    assert refused.code == "TOPIC_AUTHORIZATION_FAILED"


def test_a_group_with_a_problem_answers_every_request_with_it(cluster: MemoryCluster, admin: MemoryGroupAdmin) -> None:
    problem = GroupProblem("COORDINATOR_NOT_AVAILABLE", "its coordinator does not answer")
    cluster.group("app").problem = problem

    assert admin.commits(["app", "other"]) == {"app": problem, "other": {PLACE: Commit(6)}}
    assert admin.describe(["app"]) == {"app": problem}
    assert admin.alter({"app": {PLACE: Commit(9)}}) == {"app": {PLACE: problem}}


def test_a_share_group_is_listed_and_has_no_commits(cluster: MemoryCluster, admin: MemoryGroupAdmin) -> None:
    cluster.group("queue").type = "share"

    assert admin.list_groups()["queue"].type == "share"
    assert admin.commits(["queue"]) == {"queue": {}}
    refused = admin.alter({"queue": {PLACE: Commit(9)}})["queue"][PLACE]
    assert refused is not None
    assert refused.code == "GROUP_ID_NOT_FOUND"
