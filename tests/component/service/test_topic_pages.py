"""Pages of the topics of a flow: the order is that of the whole list, and a page reads what is on it."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.db import connections
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from srm_service.monitoring.models import PartitionNow, Series
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = BOTH

_FLOW = ("us-east", "eu-central")
_PATH = "/api/v2/replications/us-east/eu-central/topics"
_ORDERINGS = ("topic", "records_per_second", "bytes_per_second", "lag_offsets", "latency_p95_ms")
_STORED = 40


@pytest.fixture
def many(one_flow: str, live_redis: redis.Redis) -> None:
    """Topics that are stored, with and without new numbers; planned but not measured; live beside both."""
    now = at_ms()
    start_ms = now - now % 10_000 - 30_000
    for number in range(_STORED):
        name = f"stored-{number:02}" if number % 3 else f"Stored_{number:02}"
        series = tiles.series(*_FLOW, name)
        is_fresh = number % 4
        PartitionNow.objects.create(
            series_id=series,
            state="replicating",
            lag=number % 7 if number % 5 else None,
            last_ms=now if is_fresh else now - 3_600_000,
            records_per_second=number % 6 + 0.1 if number % 9 else None,
            bytes_per_second=1_000.0 * (number % 6),
        )
        if number % 2:
            tiles.tile(series, start_ms, level="topic", latencies_ms=[number % 11 * 10 + 1] * 4)
    former = Series.objects.create(
        source=_FLOW[0], target=_FLOW[1], topic="stored-01", remote_topic="former-name", partition=-1
    )
    PartitionNow.objects.create(series_id=former.id, state="replicating", lag=9_999, last_ms=now - 3_600_000)
    key, plan = live.plan_document(*_FLOW, now)
    document = json.loads(plan)
    shape = document["topics"][0]
    document["topics"] = [
        {**shape, "upstream": name, "remote": f"us-east.{name}", "partitions": 1}
        for name in ("orders", "payments", "stored-02", *(f"planned-{number:02}" for number in range(12)))
    ]
    rates = [["orders", 80.0, 16_000.0, 30, 3], ["stored-02", 3.1, 3_000.0, None, 1], ["stored-04", 2.1, 9.0, 6, 1]]
    task = live.source_task(*_FLOW, now, topic_rates=rates)
    put(live_redis, task, live.plan_task(*_FLOW, now), (key, json.dumps(document)))


def pages(client: APIClient, limit: int, **query: str) -> Iterator[list[dict[str, Any]]]:
    cursor = ""
    for _ in range(100):
        answer = client.get(_PATH, {"limit": str(limit), "cursor": cursor, **query})
        assert answer.status_code == 200, answer.content
        body = answer.json()
        assert body["partial"] == []
        yield body["items"]
        if body["next_cursor"] is None:
            return
        cursor = body["next_cursor"]
    raise AssertionError("the list has no end")


def whole(client: APIClient, limit: int, **query: str) -> list[dict[str, Any]]:
    return list(itertools.chain.from_iterable(pages(client, limit, **query)))


def in_order(rows: list[dict[str, Any]], ordering: str) -> list[str]:
    """The names as sorted in memory: by value, equal ones by name, unknown ones last."""
    column = ordering.lstrip("-")
    if column in ("", "topic"):
        return sorted((row["topic"] for row in rows), reverse=ordering.startswith("-"))
    sign = -1 if ordering.startswith("-") else 1
    places = [(row[column] is None, sign * (row[column] or 0), row["topic"]) for row in rows]
    return [name for _, _, name in sorted(places)]


@pytest.mark.parametrize("ordering", [f"{sign}{name}" for name in _ORDERINGS for sign in ("", "-")])
def test_pages_of_any_size_are_the_whole_list_in_its_order(viewer: APIClient, many: None, ordering: str) -> None:
    everything = whole(viewer, 1_000)
    assert len(everything) == _STORED + 12 + 2

    for limit in (3, 1_000):
        names = [row["topic"] for row in whole(viewer, limit, ordering=ordering)]
        assert names == in_order(everything, ordering)


def test_a_part_of_the_name_narrows_every_order_down(viewer: APIClient, many: None) -> None:
    everything = whole(viewer, 1_000)
    for ordering in ("topic", "-lag_offsets", "latency_p95_ms"):
        names = [row["topic"] for row in whole(viewer, 5, ordering=ordering, q="STORED-")]
        found = [row for row in everything if "stored-" in row["topic"].lower()]
        assert names == in_order(found, ordering)
    assert whole(viewer, 5, q="%") == []


def test_a_page_reads_no_more_rows_than_it_has(viewer: APIClient, many: None) -> None:
    for ordering in ("topic", "-records_per_second"):
        with CaptureQueriesContext(connections["metrics"]) as queries:
            first = next(pages(viewer, 5, ordering=ordering))
        assert len(first) == 5
        of_topics = [query["sql"] for query in queries if 'FROM "series"' in query["sql"]]
        assert all("LIMIT 6" in sql or "IN (" in sql or "topic" not in sql for sql in of_topics), of_topics


@pytest.mark.parametrize("cursor", ["WyItbGFnX29mZnNldHMiLCJ4IiwiYSJd", "not a cursor"])
def test_a_foreign_cursor_is_refused(viewer: APIClient, one_flow: str, live_redis: redis.Redis, cursor: str) -> None:
    answer = viewer.get(_PATH, {"ordering": "-lag_offsets", "cursor": cursor})

    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == ["cursor"]
