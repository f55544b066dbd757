"""The topology, and what the plan of a flow reports, over REST."""

import json
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH, at_ms, configured, flow_definition, put
from tests.support.configuration import config_import
from tests.support.drivers import live_documents as live

pytestmark = [BOTH, pytest.mark.redis]

_PAIR = ("us-east", "eu-central")
_FLOW = "/api/v2/replications/us-east/eu-central"


@pytest.fixture(autouse=True)
def three_flows(db: None) -> None:
    """Both directions between two clusters, and one to a third."""
    flows = [flow_definition(*pair) for pair in (_PAIR, _PAIR[::-1], ("us-east", "us-west"))]
    config_import(configured(*flows))


def get(client: APIClient, address: str, **query: Any) -> Any:
    answer = client.get(address, query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_each_direction_is_an_edge_with_its_own_numbers(viewer: APIClient, live_redis: redis.Redis) -> None:
    now = at_ms()
    forth = [live.source_task(*_PAIR, now), live.plan_task(*_PAIR, now), live.plan_document(*_PAIR, now)]
    back = live.source_task(*_PAIR[::-1], now, bytes_per_second=500.0, records_per_second=5.0, lag_offsets=3)
    put(live_redis, *forth, back)

    found = get(viewer, "/api/v2/topology")

    edges = {edge["key"]: edge for edge in found["edges"]}
    assert [edge["is_bidirectional"] for edge in edges.values()] == [True, True, False]
    listed = {f"{flow['source']}->{flow['target']}": flow for flow in get(viewer, "/api/v2/replications")["items"]}
    for key, edge in edges.items():
        flow = listed[key]
        assert (edge["status"], edge["reason"]) == (flow["status"], flow["reason"])
        assert edge["bytes_per_second"] == flow["metrics"]["bytes_per_second"]["latest"]
        assert edge["lag_offsets"] == flow["metrics"]["lag_offsets"]["latest"]
    assert (edges["us-east->eu-central"]["bytes_per_second"], edges["us-east->eu-central"]["topics"]) == (20_000, 2)
    nodes = {node["alias"]: node for node in found["nodes"]}
    assert list(nodes) == ["eu-central", "us-east", "us-west"]
    east = nodes["us-east"]
    assert (east["flows_in"], east["flows_out"]) == (1, 2)
    assert (east["bytes_per_second_in"], east["bytes_per_second_out"], east["lag_offsets_in"]) == (500, 20_000, 3)
    assert sum(east["by_status"].values()) == 3
    assert (nodes["us-west"]["bytes_per_second_in"], nodes["us-west"]["lag_offsets_in"]) == (None, None)


def test_a_part_of_the_topology_has_the_flows_of_a_cluster_and_their_ends(
    viewer: APIClient, live_redis: redis.Redis
) -> None:
    found = get(viewer, "/api/v2/topology", cluster="us-west")

    assert [edge["key"] for edge in found["edges"]] == ["us-east->us-west"]
    assert [node["alias"] for node in found["nodes"]] == ["us-east", "us-west"]
    assert viewer.get("/api/v2/topology", {"cluster": "nowhere"}).status_code == 404


def test_the_plan_has_its_warnings_and_its_skipped_topics(viewer: APIClient, live_redis: redis.Redis) -> None:
    key, text = live.plan_document(*_PAIR, at_ms())
    skipped = [{"topic": f"t{number}", "reason": "comes from eu-central"} for number in (2, 1)]
    warning = {"code": "acls_not_synced", "text": "no ACL is copied"}
    put(live_redis, (key, json.dumps({**json.loads(text), "skipped": skipped, "warnings": [warning]})))

    plan = get(viewer, f"{_FLOW}/plan")
    listed = get(viewer, f"{_FLOW}/skipped-topics")

    assert plan["warnings"] == [{**warning, "cluster": None}]
    assert (plan["topics"], plan["partitions"], plan["skipped_topics"], plan["generation"]) == (2, 4, 2, 1)
    assert plan["partial"] == listed["partial"] == []
    assert [each["topic"] for each in listed["items"]] == ["t1", "t2"]
    assert [each["topic"] for each in get(viewer, f"{_FLOW}/skipped-topics", q="T2")["items"]] == ["t2"]


def test_without_a_plan_nothing_is_claimed(viewer: APIClient, live_redis: redis.Redis) -> None:
    plan = get(viewer, f"{_FLOW}/plan")

    assert (plan["topics"], plan["skipped_topics"], plan["generation"]) == (None, None, None)
    assert "no driver reports the plan of us-east->eu-central" in plan["partial"][0]["error"]
    assert get(viewer, f"{_FLOW}/skipped-topics")["partial"] == plan["partial"]
    assert viewer.get("/api/v2/replications/us-east/nowhere/plan").status_code == 404
