"""The search: every kind by its names, the best first, with limits, and also without a metrics store."""

import json
from typing import Any

import pytest
import redis
from django.db import DatabaseError, connections
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from srm_service.monitoring.models import Series
from tests.component.service.conftest import BOTH, at_ms, configured, flow_definition, put
from tests.support.configuration import config_import
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]

_PAIR = ("us-east", "eu-central")


@pytest.fixture(autouse=True)
def known(live_redis: redis.Redis, db: None) -> None:
    """Two flows with measured topics and groups; the plan of one has a topic that was never measured."""
    config_import(configured(flow_definition(*_PAIR), flow_definition("eu-central", "us-east")))
    for topic in ("orders", "orders-archive", "late-orders", "bills"):
        tiles.series(*_PAIR, topic)
    Series.objects.create(
        source="eu-central", target="us-east", topic="stock", remote_topic="ORDERS.stock", partition=-1
    )
    tiles.series("us-gone", "eu-central", "orders")
    for group in ("billing", "order-service"):
        tiles.series(*_PAIR, group=group)
    key, text = live.plan_document(*_PAIR, at_ms())
    document = {**json.loads(text), "groups": [["billing"], ["billing-eu"]]}
    document["topics"][1] |= {"upstream": "orders.new", "remote": "us-east.orders.new"}
    put(live_redis, (key, json.dumps(document)))


def found(client: APIClient, text: str, **query: Any) -> list[dict[str, Any]]:
    asked: dict[str, Any] = {"q": text, **query}
    answer = client.get("/api/v2/search", asked)
    assert answer.status_code == 200, answer.content
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def test_topics_are_found_by_both_names_the_best_first(viewer: APIClient) -> None:
    hits = found(viewer, "orders", kind="topic")

    assert [(hit["label"], hit["rank"], hit["is_planned"]) for hit in hits] == [
        ("orders", 0, True),
        ("stock", 1, None),
        ("orders.new", 1, True),
        ("orders-archive", 1, False),
        ("late-orders", 2, False),
    ]
    assert (hits[1]["source"], hits[1]["target"], hits[1]["remote_topic"]) == ("eu-central", "us-east", "ORDERS.stock")
    assert [hit["label"] for hit in found(viewer, "us-east.BILLS")] == ["bills"]


def test_every_kind_is_found(viewer: APIClient) -> None:
    assert [(hit["kind"], hit["label"]) for hit in found(viewer, "us-east")][:3] == [
        ("flow", "eu-central->us-east"),
        ("flow", "us-east->eu-central"),
        ("cluster", "us-east"),
    ]
    assert [(hit["label"], hit["is_planned"]) for hit in found(viewer, "BILLING")] == [
        ("billing", True),
        ("billing-eu", True),
    ]
    [key] = found(viewer, "sync.topic.acls.enabled", kind="property")[:1]
    assert (key["label"], key["rank"]) == ("sync.topic.acls.enabled", 0)
    assert key["text"]


def test_a_flow_is_found_by_both_of_its_ends(viewer: APIClient) -> None:
    for text in ("us-east->eu-central", "us-east → eu-central", "central east"):
        hits = found(viewer, text, kind="flow")
        assert {hit["label"] for hit in hits} == {"us-east->eu-central", "eu-central->us-east"}
        assert {hit["rank"] for hit in hits} <= {0, 2}
    assert found(viewer, "us-east->nowhere") == []


def test_each_kind_has_its_limit_and_names_what_is_cut(viewer: APIClient) -> None:
    answer = viewer.get("/api/v2/search?q=o&limit=2").json()

    kinds = [hit["kind"] for hit in answer["items"]]
    assert max(kinds.count(kind) for kind in kinds) == 2
    assert {"topic", "property"} <= set(answer["cut"])
    assert "group" not in answer["cut"]


def test_the_database_limits_and_a_wildcard_is_a_letter(viewer: APIClient) -> None:
    with CaptureQueriesContext(connections["metrics"]) as queries:
        assert found(viewer, "%") == []
    assert sum("LIMIT 9" in query["sql"] for query in queries.captured_queries) == 2


def test_topics_of_flows_that_do_not_exist_are_not_found(viewer: APIClient) -> None:
    assert {(hit["source"], hit["target"]) for hit in found(viewer, "orders", kind="topic")} == {
        _PAIR,
        ("eu-central", "us-east"),
    }


def test_without_a_metrics_store_the_rest_is_found(viewer: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object, **options: object) -> Any:
        raise DatabaseError

    monkeypatch.setattr("srm_service.fleet.search.kinds.Series.objects.filter", fails)
    answer = viewer.get("/api/v2/search", {"q": "us-east"}).json()

    assert {hit["kind"] for hit in answer["items"]} >= {"flow", "cluster"}
    assert [part["error"] for part in answer["partial"]] == [
        "the metrics store does not answer: no topic is found",
        "the metrics store does not answer: no group is found",
    ]


@pytest.mark.parametrize("query", [{}, {"q": " "}, {"q": "->"}, {"q": "x", "kind": "person"}, {"q": "x", "limit": 51}])
def test_a_search_for_nothing_is_refused(viewer: APIClient, query: dict[str, Any]) -> None:
    assert viewer.get("/api/v2/search", query).status_code == 400
