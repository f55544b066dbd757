"""The flows that write heartbeats into a cluster, as the service discovers them."""

import pytest

from replication.codecs.mm2_records import Heartbeat, encode_heartbeat
from replication.domain.errors import ClusterUnreachableError
from replication.domain.identifiers import FlowId
from replication.domain.plan.slot import ClusterClient
from replication.kafka.heartbeat_pairs import heartbeat_pairs
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.ports import free_port
from tests.support.kafka.kafka_records import admin, create_topic, delete_topic, produce

pytestmark = pytest.mark.kafka


def test_the_newest_heartbeat_of_each_flow_is_found_and_other_records_are_ignored(kafka_cluster: LocalCluster) -> None:
    client = ClusterClient(alias="us-west", bootstrap=(kafka_cluster.bootstrap,), client={})
    if "heartbeats" in admin(kafka_cluster.bootstrap).list_topics(timeout=10).topics:  # of flows of other tests
        delete_topic(kafka_cluster.bootstrap, "heartbeats")
    missing = heartbeat_pairs(client, deadline_s=10.0)
    create_topic(kafka_cluster.bootstrap, "heartbeats")
    empty = heartbeat_pairs(client, deadline_s=10.0)
    beats = [("us-east", 1_000), ("ap-south", 5_000), ("us-east", 3_000), ("us-east", 2_000)]
    records = [encode_heartbeat(Heartbeat(source=name, target="us-west", timestamp_ms=at)) for name, at in beats]
    produce(kafka_cluster.bootstrap, "heartbeats", ({"key": key, "value": value} for key, value in records))
    produce(kafka_cluster.bootstrap, "heartbeats", [{"key": b"?", "value": b"nonsense"}, {"key": b"k", "value": None}])

    found = heartbeat_pairs(client, deadline_s=10.0)

    assert (missing, empty) == ({}, {})
    assert found == {FlowId("us-east", "us-west"): 3_000, FlowId("ap-south", "us-west"): 5_000}


def test_a_cluster_that_does_not_answer_is_named_at_the_deadline() -> None:
    client = ClusterClient(alias="us-west", bootstrap=(f"127.0.0.1:{free_port(set())}",), client={})

    with pytest.raises(ClusterUnreachableError, match="us-west"):
        heartbeat_pairs(client, deadline_s=1.0)
