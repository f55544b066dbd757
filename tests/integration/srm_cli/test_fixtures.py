"""The fixtures other tests stand on."""

import pytest

from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from srm_cli.dev_clusters.lifecycle import answers
from srm_cli.machine import embedded_redis
from tests.support.kafka.clusters import StartCluster, TwoClusters
from tests.support.servers.redis import RunningRedis


@pytest.mark.kafka
def test_source_and_target_are_two_answering_clusters(two_clusters: TwoClusters) -> None:
    assert answers(two_clusters.source)
    assert answers(two_clusters.target)
    assert two_clusters.source.bootstrap != two_clusters.target.bootstrap


@pytest.mark.kafka
@pytest.mark.large  # every day: each test with groups
def test_a_cluster_that_is_up_answers_for_groups_at_once(start_cluster: StartCluster) -> None:
    for _ in range(2):
        client = ClusterClient(alias="new", bootstrap=(start_cluster().bootstrap,))
        assert open_admin(client).group_members("nobody") == 0


@pytest.mark.redis
def test_redis_comes_back_on_its_port_after_a_restart(own_redis: RunningRedis) -> None:
    again = own_redis.restart()
    try:
        assert again.url == own_redis.url
        assert again.process != own_redis.process
        assert not embedded_redis.answers(embedded_redis.url(port=again.port, password="wrong"))
    finally:
        again.stop()
