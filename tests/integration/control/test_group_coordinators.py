"""Groups of a real cluster whose brokers are older, or do not answer."""

import os
import signal
import time
import uuid

import pytest

from replication.domain.groups.consumer_group import Commit, GroupProblem
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import ClusterClient
from replication.wire.groups.group_admin import WireGroupAdmin
from srm_cli.dev_clusters.registry import LocalCluster
from tests.support.eventually import eventually
from tests.support.kafka.clusters import StartCluster
from tests.support.kafka.kafka_records import create_topic

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

GROUPS = 60
Wanted = dict[str, dict[TopicPartition, Commit]]


def arranged(bootstrap: str, replicas: int = 1) -> Wanted:
    """Commits of some groups, not yet set."""
    topic = f"coordinated-{uuid.uuid4().hex[:6]}"
    create_topic(bootstrap, topic, 2, replicas=replicas)
    return {f"{topic}-{number}": {TopicPartition(topic, number % 2): Commit(number, "m")} for number in range(GROUPS)}


@pytest.mark.parametrize("protocol", ["2.8", "3.9"])
def test_older_brokers_are_asked_as_they_can(old_kafka: LocalCluster, protocol: str) -> None:
    client = ClusterClient(alias="old", bootstrap=(old_kafka.bootstrap,), client={"srm.protocol.version": protocol})
    admin = WireGroupAdmin(client)
    wanted = arranged(old_kafka.bootstrap)

    receipts = admin.alter(wanted)

    assert not [each for found in receipts.values() for each in found.values() if each is not None]
    before = admin.requests
    assert admin.commits(list(wanted)) == wanted
    assert admin.requests - before == (GROUPS if protocol == "2.8" else 1)
    listed = admin.list_groups()
    assert {(listed[name].type, listed[name].state) for name in wanted} == {("classic", "empty")}
    name = next(iter(wanted))
    assert admin.describe([name, "nowhere"])["nowhere"].state == "dead"  # type: ignore[union-attr]
    assert admin.group_operations([name])[name] >= {"read", "describe", "delete"}
    admin.close()


def test_a_frozen_coordinator_is_a_problem_of_its_groups_only(start_cluster: StartCluster) -> None:
    cluster = start_cluster(brokers=3)
    admin = WireGroupAdmin(ClusterClient(alias="here", bootstrap=tuple(cluster.bootstrap.split(","))))
    wanted = arranged(cluster.bootstrap, replicas=3)
    eventually(lambda: not _refused(admin, wanted), 30, "all groups are written")
    assert admin.commits(list(wanted)) == wanted
    frozen = cluster.processes[2].pid
    os.kill(frozen, signal.SIGSTOP)
    try:
        began = time.monotonic()
        found = admin.commits(list(wanted))
        took_s = time.monotonic() - began

        problems = {name for name, answer in found.items() if isinstance(answer, GroupProblem)}
        assert 0 < len(problems) < GROUPS
        assert all(found[name] == wanted[name] for name in wanted.keys() - problems)
        assert took_s < 30
        eventually(lambda: admin.commits(list(wanted)) == wanted, 60, "the groups have other coordinators")
    finally:
        os.kill(frozen, signal.SIGCONT)
        admin.close()


def _refused(admin: WireGroupAdmin, wanted: Wanted) -> bool:
    return any(each is not None for found in admin.alter(wanted).values() for each in found.values())
