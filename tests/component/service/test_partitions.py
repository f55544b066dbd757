"""One topic of a flow and its partitions, as drivers reported them."""

import base64
from typing import Any

import pytest
import redis
from django.db import connections
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from srm_service.monitoring.api.topics import PartitionListQuery
from srm_service.monitoring.models import Series
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = ("us-east", "eu-central")
_ORDERS = "/api/v2/replications/us-east/eu-central/topics/orders"


def test_partitions_show_position_ends_lag_and_state(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    now = at_ms()
    put(live_redis, live.source_task(*_FLOW, now), live.plan_document(*_FLOW, now))
    for number in (10, 2):
        series = tiles.series(*_FLOW, "orders", partition=number)
        tiles.now_row(
            series, now - 1_000, covered_to=93, log_end=100, downstream_end=95, log_start=20, last_record_ms=now - 4_000
        )

    answer = viewer.get(f"{_ORDERS}/partitions").json()

    assert [row["partition"] for row in answer["items"]] == [0, 1, 2, 10]
    shown = answer["items"][2]
    assert 4_000 <= shown.pop("lag_ms") < 60_000
    assert shown == {
        "partition": 2,
        "remote_topic": "us-east.orders",
        "state": "replicating",
        "cause": None,
        "slot": 0,
        "driver": "driver-1",
        "source_start": 20,
        "copied_to": 93,
        "source_end": 100,
        "target_end": 95,
        "lag_offsets": 7,
        "last_record_ms": now - 4_000,
        "records_per_second": 50.0,
        "bytes_per_second": 5_000.0,
        "updated_ms": now - 1_000,
    }


def test_an_old_report_keeps_its_position_and_its_state_is_unknown(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    tiles.now_row(tiles.series(*_FLOW, "orders", partition=0), now - 200_000, covered_to=93, log_end=100)
    tiles.series(*_FLOW, "orders", partition=1)

    first, second = viewer.get(f"{_ORDERS}/partitions").json()["items"]

    assert (first["copied_to"], first["state"], first["lag_offsets"]) == (93, None, None)
    assert (second["copied_to"], second["updated_ms"]) == (None, None)


@pytest.fixture
def mixed(one_flow: str, live_redis: redis.Redis) -> None:
    """Partitions with new, old and no reports, level ones, some of a former remote topic, and planned ones."""
    now = at_ms()
    put(live_redis, live.source_task(*_FLOW, now), live.plan_document(*_FLOW, now))
    for number in range(1, 24):
        series = tiles.series(*_FLOW, "orders", partition=number)
        if number % 8 == 7:
            continue
        tiles.now_row(
            series,
            now - 3_600_000 if number % 5 == 4 else now - number,
            state=("replicating", "paused", "caught_up")[number % 3],
            lag=None if number % 7 == 6 else number % 4,
            last_record_ms=None if number % 6 == 5 else now - 1_000 * (number * 7 % 11),
            records_per_second=number % 3 + 0.5 if number % 9 else None,
        )
    former = Series.objects.create(
        source=_FLOW[0], target=_FLOW[1], topic="orders", remote_topic="former-name", partition=3
    )
    tiles.now_row(former.id, now - 60_000, lag=9_999)


def whole(client: APIClient, limit: int, **query: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    page: dict[str, Any] = {"next_cursor": ""}
    while page["next_cursor"] is not None:
        page = client.get(f"{_ORDERS}/partitions", {"limit": str(limit), "cursor": page["next_cursor"], **query}).json()
        rows += page["items"]
    return rows


@pytest.mark.parametrize("column", PartitionListQuery.orderings)
@pytest.mark.parametrize("sign", ["", "-"])
def test_pages_of_any_size_are_the_whole_list_in_its_order(
    viewer: APIClient, mixed: None, column: str, sign: str
) -> None:
    everything = whole(viewer, 1_000)
    assert [row["partition"] for row in everything] == list(range(24))
    assert (everything[3]["remote_topic"], everything[3]["lag_offsets"]) == ("us-east.orders", 3)

    known = [row for row in everything if row[column] is not None]
    in_order = sorted(known, key=lambda row: row["partition"])
    in_order.sort(key=lambda row: row[column], reverse=bool(sign))
    unknown = [row["partition"] for row in everything if row[column] is None]
    for limit in (5, 1_000):
        rows = whole(viewer, limit, ordering=f"{sign}{column}")
        assert [row["partition"] for row in rows[len(known) :]] == unknown
        if column == "lag_ms":  # grows while the test runs
            waiting = [row["lag_ms"] // 1_000 for row in rows[: len(known)] if row["lag_ms"]]
            assert waiting == sorted(waiting, reverse=bool(sign))
            assert {row["partition"] for row in rows} == set(range(24))
        else:
            assert [row["partition"] for row in rows[: len(known)]] == [row["partition"] for row in in_order]


@pytest.mark.parametrize(
    "place", ['["lag_offsets","x","0000000003"]', '["lag_offsets",1e999,"3"]', '["lag_offsets",1,"x"]']
)
def test_a_foreign_cursor_is_refused(viewer: APIClient, mixed: None, place: str) -> None:
    cursor = base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")
    answer = viewer.get(f"{_ORDERS}/partitions", {"ordering": "lag_offsets", "cursor": cursor})
    assert answer.status_code == 400


def test_many_partitions_are_ordered_and_paged_with_few_queries(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    for number in range(30):
        tiles.now_row(tiles.series(*_FLOW, "orders", partition=number), now, lag=number)

    query: dict[str, str] = {"ordering": "-lag_offsets", "limit": "20"}
    with CaptureQueriesContext(connections["metrics"]) as queries:
        page = viewer.get(f"{_ORDERS}/partitions", query).json()
    rest = viewer.get(f"{_ORDERS}/partitions", {**query, "cursor": page["next_cursor"]}).json()

    assert [row["lag_offsets"] for row in page["items"] + rest["items"]] == list(range(29, -1, -1))
    assert len(queries) < 25


def test_one_topic_is_answered_as_in_the_list(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    now = at_ms()
    put(live_redis, live.source_task(*_FLOW, now), live.plan_document(*_FLOW, now))

    listed = viewer.get("/api/v2/replications/us-east/eu-central/topics", {"q": "orders"}).json()["items"][0]
    topic = viewer.get(_ORDERS).json()

    assert {**topic, "updated_ms": None, "metrics": None} == {**listed, "updated_ms": None}


def test_partitions_of_the_plan_are_shown_before_their_first_report(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    put(live_redis, live.plan_document(*_FLOW, at_ms()))

    rows = viewer.get(f"{_ORDERS}/partitions").json()["items"]

    assert [(row["partition"], row["slot"], row["driver"], row["state"]) for row in rows] == [
        (0, 0, None, None),
        (1, 0, None, None),
        (2, 0, None, None),
    ]
    assert {row["remote_topic"] for row in rows} == {"us-east.orders"}


@pytest.mark.parametrize(
    ("report", "lag_ms"),
    [({"lag": 0}, 0), ({"lag": 3, "last_record_ms": None}, None), ({"lag": None}, None)],
    ids=["no lag", "time unknown", "lag unknown"],
)
def test_lag_in_time_is_unknown_unless_lag_and_time_are_known(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, report: dict[str, int | None], lag_ms: int | None
) -> None:
    tiles.now_row(tiles.series(*_FLOW, "orders", partition=0), at_ms(), **report)

    (row,) = viewer.get(f"{_ORDERS}/partitions").json()["items"]

    assert row["lag_ms"] == lag_ms


def test_a_state_of_a_newer_release_is_unknown(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    tiles.now_row(tiles.series(*_FLOW, "orders", partition=0), at_ms(), state="dancing")

    (row,) = viewer.get(f"{_ORDERS}/partitions").json()["items"]

    assert row["state"] is None


@pytest.mark.parametrize("path", ["", "/partitions"])
def test_an_unknown_topic_is_named(viewer: APIClient, one_flow: str, live_redis: redis.Redis, path: str) -> None:
    answer = viewer.get(f"/api/v2/replications/us-east/eu-central/topics/nonsense{path}")

    assert answer.status_code == 404
    assert "nonsense" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["", "/partitions"])
def test_an_unknown_flow_is_named(viewer: APIClient, live_redis: redis.Redis, path: str) -> None:
    answer = viewer.get(f"/api/v2/replications/us-east/nowhere/topics/orders{path}")

    assert answer.status_code == 404
    assert "us-east->nowhere" in answer.json()["detail"]
