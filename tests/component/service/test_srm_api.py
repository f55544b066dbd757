"""The V2 metric API of the original: both names of a topic, one set of numbers, basic authentication at every root."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
import redis
from django.test import Client
from rest_framework.test import APIClient

from srm_service.monitoring.models import Series
from tests.component.service.conftest import BOTH, PASSWORD, at_ms, configured, flow_definition, put
from tests.support.configuration import config_import
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = BOTH

_API = "/api/v2"
_PAIR = ("us-east", "eu-central")
_FLOW = "us-east/eu-central"
_MINUTE = 60_000
_STATISTICS = ("avg", "min", "max", "sum", "count", "p50", "p95", "p99")


def _begin() -> int:
    now = at_ms()
    return now - now % _MINUTE - 10 * _MINUTE


def _window(begin: int) -> dict[str, Any]:
    return {"from_ms": begin, "to_ms": begin + 2 * _MINUTE, "step_ms": _MINUTE}


def _get(client: APIClient, address: str, **query: Any) -> Any:
    answer = client.get(f"{_API}/{address}", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def _topic_series(source: str, topic: str, remote_topic: str, target: str = "eu-central") -> int:
    """Return the series of a topic whose copy has a name of no fixed form."""
    row = Series.objects.create(
        source=source, target=target, topic=topic, remote_topic=remote_topic, partition=-1, consumer_group=""
    )
    return int(row.id)


def _filled(series_id: int, begin: int, level: Any = "topic") -> None:
    for n in range(9):
        latencies = [10 * (n + 1)] * 10
        tiles.tile(series_id, begin + n * 10_000, level=level, records=n * 100, latencies_ms=latencies, ages_ms=[n])


def _plan(topics: list[tuple[str, str]], source: str = "us-east", target: str = "eu-central") -> tuple[str, str]:
    key, value = live.plan_document(source, target, at_ms())
    document = json.loads(value)
    shape = document["topics"][0]
    document["topics"] = [{**shape, "upstream": topic, "remote": remote} for topic, remote in topics]
    document["slots"] = [[[n, 0] for n in range(len(topics))]]
    return key, json.dumps(document)


@pytest.mark.parametrize("remote_topic", ["us-east.orders", "orders", "copies-of-orders-in-eu"])
@pytest.mark.parametrize("metric", ["byte-rate", "replication-latency-ms", "replication-records-lag", "duplicates"])
def test_both_names_of_a_topic_give_the_numbers_of_the_series(
    viewer: APIClient, one_flow: str, metric: str, remote_topic: str
) -> None:
    begin = _begin()
    _filled(_topic_series("us-east", "orders", remote_topic), begin)
    _filled(_topic_series("us-east", "payments", f"{remote_topic}.x"), begin)

    upstream = _get(viewer, f"topic-metrics/{_FLOW}/orders/{metric}", **_window(begin))
    downstream = _get(viewer, f"topic-metrics/eu-central/{remote_topic}/{metric}", **_window(begin))
    series = _get(viewer, f"replications/{_FLOW}/series", metric=upstream["metric"], topic="orders", **_window(begin))

    assert upstream == downstream
    assert upstream["points"] == series["points"]
    assert upstream["points"][0] is not None
    assert upstream["details"] == series["details"]
    assert upstream["window"] == {name: series[name] for name in ("from_ms", "to_ms", "step_ms")}
    assert (upstream["unit"], upstream["sum_unit"]) == (series["unit"], series["sum_unit"])
    assert upstream["pairs"] == [{"source": "us-east", "topic": "orders", "remote_topic": remote_topic}]


@pytest.mark.parametrize(
    "metric", ["records_per_second", "lag_offsets", "lag_ms", "replication_latency_ms", "record_age_ms"]
)
def test_a_window_of_one_step_has_the_statistics_of_the_series(viewer: APIClient, one_flow: str, metric: str) -> None:
    begin = _begin()
    _filled(_topic_series("us-east", "orders", "orders"), begin)
    window = {**_window(begin), "step_ms": 2 * _MINUTE, "from_ms": begin - begin % (2 * _MINUTE)}
    window["to_ms"] = window["from_ms"] + 2 * _MINUTE

    found = _get(viewer, f"topic-metrics/{_FLOW}/orders/{metric}", **window)
    series = _get(viewer, f"replications/{_FLOW}/series", metric=metric, topic="orders", **window)

    [[_, _, low, high, count]] = series["points"]
    assert (found["min"], found["max"], found["count"]) == (low, high, count)
    assert [found["sum"], found["p50"], found["p95"], found["p99"]] == series["details"][0]


@pytest.mark.parametrize("metric", ["records_per_second", "replication_latency_ms", "lag_offsets", "duplicates"])
def test_a_flow_has_the_statistics_of_its_page(viewer: APIClient, one_flow: str, metric: str) -> None:
    begin = _begin()
    _filled(tiles.series(*_PAIR), begin, "flow")
    window = {"from_ms": begin, "to_ms": begin + 90_000}

    found = _get(viewer, f"cluster-metrics/{_FLOW}/{metric}", **window)
    page = _get(viewer, f"replications/{_FLOW}", **window)["metrics"][metric]

    assert {name: found[name] for name in _STATISTICS} == {name: page[name] for name in _STATISTICS}
    assert found["count"]
    assert len(found["points"]) == 9


def test_the_statistics_are_those_of_the_seeded_tiles(viewer: APIClient, one_flow: str) -> None:
    begin = _begin()
    _filled(tiles.series(*_PAIR), begin, "flow")

    rate = _get(viewer, f"cluster-metrics/{_FLOW}/record-rate", from_ms=begin, to_ms=begin + 90_000)

    assert (rate["sum"], rate["avg"], rate["min"], rate["max"], rate["count"]) == (3_600.0, 40.0, 0.0, 80.0, 9)
    assert (rate["p50"], rate["p95"]) == (40.0, 80.0)
    assert (rate["metric"], rate["unit"], rate["sum_unit"]) == ("records_per_second", "records/s", "records")


def test_a_metric_that_was_not_measured_is_null(viewer: APIClient, one_flow: str) -> None:
    found = _get(viewer, f"cluster-metrics/{_FLOW}/heartbeat_age_ms", **_window(_begin()))

    assert {found[name] for name in (*_STATISTICS, "latest")} == {None}
    assert found["points"] == [None, None]


@pytest.mark.redis
def test_the_latest_value_is_the_live_one(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    put(live_redis, live.source_task(*_PAIR, at_ms()), live.plan_document(*_PAIR, at_ms()))
    flow = _get(viewer, f"replications/{_FLOW}")["metrics"]["records_per_second"]
    topics = {each["topic"]: each for each in _get(viewer, f"replications/{_FLOW}/topics")["items"]}

    assert _get(viewer, f"cluster-metrics/{_FLOW}/record-rate")["latest"] == flow["latest"]
    found = _get(viewer, f"topic-metrics/{_FLOW}/orders/record-rate")
    assert found["latest"] == topics["orders"]["records_per_second"]
    assert found["latest"] is not None
    assert found == _get(viewer, "topic-metrics/eu-central/us-east.orders/record-rate") | {"window": found["window"]}


@pytest.mark.redis
def test_a_topic_into_which_two_flows_merge_is_their_sum(viewer: APIClient, live_redis: redis.Redis, db: None) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("us-west", "eu-central")))
    begin = _begin()
    for source in ("us-east", "us-west", "us-gone"):
        series_id = _topic_series(source, "orders", "orders")
        tiles.tile(series_id, begin, level="topic", records=300, latencies_ms=[10])
    put(live_redis, _plan([("orders", "orders")], "us-east"), _plan([("orders", "orders")], "us-west"))
    window = {"from_ms": begin, "to_ms": begin + 10_000}

    found = _get(viewer, "topic-metrics/eu-central/orders/record-rate", **window)

    assert [pair["source"] for pair in found["pairs"]] == ["us-east", "us-west"]
    assert found["sum"] == 600
    assert _get(viewer, "topic-metrics/us-east/eu-central/orders/record-rate", **window)["sum"] == 300


@pytest.mark.redis
def test_a_topic_of_the_target_has_its_own_past_and_not_that_of_its_successor(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    begin = _begin()
    window = {"from_ms": begin, "to_ms": begin + 20_000}
    tiles.tile(_topic_series("us-east", "orders", "us-east.orders"), begin, level="topic", records=100)
    tiles.tile(_topic_series("us-east", "orders", "orders"), begin + 10_000, level="topic", records=700)
    put(live_redis, live.source_task(*_PAIR, at_ms()), _plan([("orders", "orders")]))

    past = _get(viewer, "topic-metrics/eu-central/us-east.orders/record-rate", **window)
    present = _get(viewer, "topic-metrics/eu-central/orders/record-rate", **window)

    assert (past["sum"], present["sum"]) == (100, 700)
    assert past["latest"] is None
    assert present["latest"] is not None
    assert _get(viewer, f"topic-metrics/{_FLOW}/orders/record-rate", **window)["sum"] == 800


@pytest.mark.redis
def test_a_denied_topic_leaves_the_remote_topics_with_the_next_plan(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    for topic in ("orders", "payments"):
        _topic_series("us-east", topic, f"eu.{topic}")
    put(live_redis, _plan([("orders", "eu.orders"), ("payments", "eu.payments")]))
    before = _get(viewer, f"remote-topics/{_FLOW}")
    put(live_redis, _plan([("orders", "eu.orders")]))
    after = _get(viewer, f"remote-topics/{_FLOW}")

    assert [each["remote_topic"] for each in before["items"]] == ["eu.orders", "eu.payments"]
    assert after["items"] == [
        {"source": "us-east", "target": "eu-central", "topic": "orders", "remote_topic": "eu.orders", "partitions": 3}
    ]
    assert after["partial"] == []
    assert _get(viewer, "remote-topics")["items"] == after["items"]
    assert _get(viewer, "remote-topics", q="PAYMENTS")["items"] == []


@pytest.mark.redis
def test_without_a_plan_the_measured_topics_are_named_as_such(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    _topic_series("us-east", "orders", "orders")

    found = _get(viewer, f"remote-topics/{_FLOW}")

    assert [(each["topic"], each["partitions"]) for each in found["items"]] == [("orders", None)]
    assert "no driver reports the plan of us-east->eu-central" in found["partial"][-1]["error"]


@pytest.mark.parametrize(
    ("address", "status", "complaint"),
    [
        (f"topic-metrics/{_FLOW}/orders/byte-rat", 400, "There is no metric byte-rat; did you mean byte-rate?"),
        (f"cluster-metrics/{_FLOW}/nonsense", 400, "There is no metric nonsense"),
        ("topic-metrics/eu-central/orders/nonsense", 400, "There is no metric nonsense"),
        (f"topic-metrics/{_FLOW}/no-such-topic/byte-rate", 404, "has no topic no-such-topic"),
        ("topic-metrics/eu-central/no-such-topic/byte-rate", 404, "No replication copies to a topic no-such-topic"),
        ("topic-metrics/nowhere/orders/byte-rate", 404, "No replication writes to a cluster nowhere"),
        ("topic-metrics/us-east/nowhere/orders/byte-rate", 404, "no replication us-east->nowhere"),
        (f"group-metrics/{_FLOW}/billing/byte-rate", 400, "Groups have checkpoint-latency-ms"),
        (f"group-metrics/{_FLOW}/billing/lag_offsets", 404, "has measured no consumer group billing"),
        ("cluster-metrics/us-east/nowhere/byte-rate", 404, "no replication us-east->nowhere"),
        ("remote-topics/us-east/nowhere", 404, "no replication us-east->nowhere"),
        (f"cluster-metrics/{_FLOW}/byte-rate?from_ms=2000&to_ms=1000", 400, "must be before to_ms"),
        (f"cluster-metrics/{_FLOW}/byte-rate?step_ms=1000&from_ms=1", 400, "longer than 400 days"),
    ],
)
def test_what_does_not_exist_is_named(
    viewer: APIClient, one_flow: str, address: str, status: int, complaint: str
) -> None:
    answer = viewer.get(f"{_API}/{address}")

    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert complaint in answer.json()["detail"]


_ADDRESSES = (
    f"topic-metrics/{_FLOW}/orders/byte-rate",
    "topic-metrics/eu-central/orders/byte-rate",
    f"cluster-metrics/{_FLOW}/byte-rate",
    f"remote-topics/{_FLOW}",
    "remote-topics",
    f"group-metrics/{_FLOW}/team/billing/checkpoint-latency-ms",
)
_SMM = (
    "replication-stats",
    "replication-stats/is-configured",
    f"replication-stats/topics/{_FLOW}",
    f"replication-stats/topics/{_FLOW}/orders",
    "replication-stats/topics/orders",
)
_V1_ADDRESSES = (
    "topic-metrics/us-east/orders/byte-rate",
    "topic-metrics/orders/byte-rate",
    "cluster-metrics/us-east/byte-rate",
    "group-metrics/us-east/team/billing/replication-records-lag",
    "remote-topics/us-east",
    "remote-topics",
)
_EVERY_ADDRESS = [
    *(f"{root}{address}" for root in ("/api/v2/", "/v2/", "/") for address in _ADDRESSES),
    *(f"{root}{address}" for root in ("/api/v1/", "/v1/") for address in _V1_ADDRESSES),
    *(f"/api/v1/admin/{address}" for address in _SMM),
]


@pytest.mark.parametrize("address", _EVERY_ADDRESS)
def test_basic_authentication_opens_every_root_and_nothing_leads_to_a_login_page(
    person: Callable[[str | None], APIClient], one_flow: str, address: str
) -> None:
    person("viewer")
    _topic_series("us-east", "orders", "orders")
    tiles.series(*_PAIR, group="team/billing")
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}

    def basic(password: str) -> dict[str, str]:
        return {"Authorization": "Basic " + base64.b64encode(f"somebody-viewer:{password}".encode()).decode()}

    def get(**headers: str) -> Any:
        return Client().get(address, headers=headers)

    page_only = {"Accept": "text/html"}
    refused = [get(**accept, **login) for accept in ({}, browser, page_only) for login in ({}, basic("wrong"))]
    assert [answer.status_code for answer in refused] == [401] * 6
    assert [answer["WWW-Authenticate"].split()[0] for answer in refused] == ["Basic"] * 6
    assert get(**page_only, **basic(PASSWORD)).status_code == 406
    assert [get(**basic(PASSWORD)).status_code, get(**browser, **basic(PASSWORD)).status_code] == [200] * 2


@pytest.mark.parametrize(
    "address",
    ["/v2/nothing", "/v1/x", "/topic-metrics/x", "/group-metrics/x", "/remote-topics/x", "/cluster-metrics/x/y"],
)
def test_an_unknown_path_of_an_original_root_is_a_problem_and_no_login_page(viewer: APIClient, address: str) -> None:
    assert Client().get(address).status_code == 401
    answer = viewer.get(address)
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"


def test_the_roots_of_the_original_answer_like_the_api(viewer: APIClient, one_flow: str) -> None:
    begin = _begin()
    _filled(_topic_series("us-east", "orders", "orders"), begin)
    query = _window(begin)

    for address in _ADDRESSES[:3]:
        answers = [viewer.get(f"{root}{address}", query).json() for root in ("/api/v2/", "/v2/", "/")]
        assert answers[0] == answers[1] == answers[2]
