"""The stored partitions of consumer groups: filtered, ordered and paged by the database."""

import pytest
import redis
from django.db import connections
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from tests.component.service.conftest import BOTH, at_ms
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]

_FLOW = ("us-east", "eu-central")
_LIST = "/api/v2/replications/us-east/eu-central/group-partitions"


@pytest.fixture
def stored(one_flow: str, live_redis: redis.Redis) -> int:
    """Two groups with six partitions, one without a commit; returns the time of the reports."""
    now = at_ms()
    for number in range(4):
        tiles.group_row(*_FLOW, "billing", "orders", now, partition=number, committed=100 - number, log_end=110)
    tiles.group_row(*_FLOW, "audit/eu", "orders", now, committed=50, log_end=110)
    tiles.group_row(*_FLOW, "audit/eu", "bills", now, committed=None)
    tiles.group_row("eu-central", "us-east", "other", "orders", now)
    return now


def test_each_partition_has_its_offsets(viewer: APIClient, stored: int) -> None:
    (row,) = viewer.get(_LIST, {"group": "audit/eu", "topic": "orders"}).json()["items"]

    assert row == {
        "group": "audit/eu",
        "topic": "orders",
        "partition": 0,
        "committed": 50,
        "checkpointed": 88,
        "source_end": 110,
        "lag_offsets": 60,
        "checkpoint_latency_ms": 40,
        "updated_ms": stored,
    }


@pytest.mark.parametrize(
    ("ordering", "lags"),
    [
        ("group", [None, 60, 10, 11, 12, 13]),
        ("lag_offsets", [10, 11, 12, 13, 60, None]),
        ("-lag_offsets", [60, 13, 12, 11, 10, None]),
        ("-topic", [60, 10, 11, 12, 13, None]),
        ("updated_ms", [None, 60, 10, 11, 12, 13]),
    ],
)
def test_pages_follow_each_other_in_every_order(
    viewer: APIClient, stored: int, ordering: str, lags: list[int | None]
) -> None:
    query, found, cursor = {"ordering": ordering, "limit": "2"}, [], ""
    while cursor is not None:
        page = viewer.get(_LIST, {**query, **({"cursor": cursor} if cursor else {})}).json()
        found += [row["lag_offsets"] for row in page["items"]]
        cursor = page["next_cursor"]

    assert found == lags


def test_the_database_reads_one_page_only(viewer: APIClient, stored: int) -> None:
    with CaptureQueriesContext(connections["metrics"]) as queries:
        viewer.get(_LIST, {"limit": "2", "ordering": "-lag_offsets"})

    (read,) = [each["sql"] for each in queries if "group_now" in each["sql"]]
    assert "LIMIT 3" in read


def test_a_cursor_of_another_order_is_refused(viewer: APIClient, stored: int) -> None:
    cursor = viewer.get(_LIST, {"limit": "2"}).json()["next_cursor"]

    assert viewer.get(_LIST, {"limit": "2", "ordering": "topic", "cursor": cursor}).status_code == 400


def test_an_unknown_flow_is_named(viewer: APIClient, stored: int) -> None:
    assert viewer.get("/api/v2/replications/us-east/nowhere/group-partitions").status_code == 404
