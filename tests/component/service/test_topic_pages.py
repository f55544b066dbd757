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

from replication.domain.health.partition_state import WORST_FIRST
from replication.domain.reporting.metric_defs import TileWidth
from srm_service.monitoring.models import PartitionNow, Series
from srm_service.monitoring.topics import range_ranks
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = BOTH

_FLOW = ("us-east", "eu-central")
_PATH = "/api/v2/replications/us-east/eu-central/topics"
_ORDERINGS = (
    *("topic", "remote_topic", "partitions", "state"),
    *("records_per_second", "bytes_per_second", "lag_offsets", "latency_p95_ms"),
)
_STORED = 40
_STATES = (*WORST_FIRST, "of a newer release")


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
            state=_STATES[number % len(_STATES)],
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
        {**shape, "upstream": name, "remote": f"us-east.{name}", "partitions": number % 5 + 1}
        for number, name in enumerate(
            ("orders", "payments", "stored-02", *(f"planned-{number:02}" for number in range(12)))
        )
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
    by_name = sorted(rows, key=lambda row: row["topic"])
    known = [row for row in by_name if row[column] is not None]
    known.sort(key=lambda row: _rank(row[column]), reverse=ordering.startswith("-"))
    return [row["topic"] for row in (*known, *(row for row in by_name if row[column] is None))]


def _rank(value: Any) -> Any:
    """The place of a state among all, the worst first; other values are their own."""
    return WORST_FIRST.index(value) if value in WORST_FIRST else value


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


def test_topics_of_a_range_have_their_statistics_and_without_one_none(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    now = at_ms()
    start_ms = now - now % 10_000 - 60_000
    orders = tiles.series(*_FLOW, "orders")
    for number, records in enumerate([10, 20, 60]):
        tiles.tile(orders, start_ms + number * 10_000, level="topic", records=records, latencies_ms=[records] * records)
    tiles.tile(tiles.series(*_FLOW), start_ms, records=999, latencies_ms=[999])
    put(live_redis, live.plan_task(*_FLOW, now), live.plan_document(*_FLOW, now))

    query = {"from_ms": str(start_ms), "to_ms": str(start_ms + 30_000)}
    in_range = {row["topic"]: row["metrics"] for row in whole(viewer, 1_000, **query)}
    now_only = {row["topic"]: row["metrics"] for row in whole(viewer, 1_000)}

    rate, latency = in_range["orders"]["records_per_second"], in_range["orders"]["replication_latency_ms"]
    assert (rate["avg"], rate["min"], rate["max"], rate["sum"]) == (3.0, 1.0, 6.0, 90)
    assert (latency["min"], latency["max"], latency["count"]) == (10, 60, 90)
    assert latency["p95"] == pytest.approx(60, rel=0.02)
    assert set(in_range["orders"]) == {
        "records_per_second",
        "bytes_per_second",
        "lag_offsets",
        "replication_latency_ms",
    }
    assert in_range["payments"]["records_per_second"]["avg"] is None
    assert viewer.get(f"{_PATH}/orders", query).json()["metrics"] == in_range["orders"]
    assert viewer.get(f"{_PATH}/orders").json()["metrics"] is None
    assert set(now_only.values()) == {None}


@pytest.fixture
def in_range(one_flow: str, live_redis: redis.Redis) -> dict[str, str]:
    """The range of topics with tiles of two widths, silences, unknown lags and several names on the target."""
    now = at_ms()
    hour_ms = now - now % 3_600_000 - 7_200_000
    tiles.rolled(_FLOW[1], "1m", hour_ms + 600_000)
    for number in range(_STORED):
        series = tiles.series(*_FLOW, f"topic-{number:02}")
        for minute in range(10):
            if (minute + number) % 3:
                _some_tile(series, hour_ms + minute * 60_000, "1m", number * minute)
        for place in range(number % 7 + 1):
            _some_tile(series, hour_ms + 600_000 + place * 30_000, "10s", number + place * 13)
    former = Series.objects.create(source=_FLOW[0], target=_FLOW[1], topic="topic-01", remote_topic="x", partition=-1)
    _some_tile(former.id, hour_ms + 60_000, "1m", 900)
    tiles.series(*_FLOW, "never-copied")
    return {"from_ms": str(hour_ms), "to_ms": str(hour_ms + 900_000)}


def _some_tile(series: int, time_ms: int, width: TileWidth, number: int) -> None:
    lag = number % 31 if number % 4 else None
    tiles.tile(
        series,
        time_ms,
        level="topic",
        width=width,
        records=number % 17 * 10,
        bytes=number * 1_000,
        lag_last=lag,
        lag_max=None if lag is None else lag + number % 3,
        latencies_ms=[number % 23 + 1] * (number % 5),
    )


@pytest.mark.parametrize("statistic", ["avg", "min", "max", "p95"])
def test_topics_are_ordered_by_a_statistic_of_the_range(
    viewer: APIClient, in_range: dict[str, str], statistic: str
) -> None:
    metrics = {name: name for name in ("records_per_second", "bytes_per_second", "lag_offsets")}
    everything = whole(viewer, 1_000, **in_range)
    for column, metric in {**metrics, "latency_p95_ms": "replication_latency_ms"}.items():
        shown = "p95" if column == "latency_p95_ms" else statistic
        rows = [{"topic": row["topic"], column: row["metrics"][metric][shown]} for row in everything]
        rows = [{**row, column: row[column] and round(row[column], 6)} for row in rows]
        query = {**in_range, "statistic": statistic, "ordering": f"-{column}"}
        found = whole(viewer, 7, **query)
        values = {row["topic"]: row[column] for row in rows}
        assert [values[row["topic"]] for row in found] == [values[name] for name in in_order(rows, f"-{column}")]
        assert {row["topic"] for row in found} == {row["topic"] for row in everything}
        assert values["never-copied"] is None
    part = whole(viewer, 7, **in_range, q="TOPIC-1", statistic=statistic, ordering="bytes_per_second")
    assert sorted(row["topic"] for row in part) == [f"topic-{number}" for number in range(10, 20)]


def test_a_range_with_too_many_latencies_is_refused(
    viewer: APIClient, in_range: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(range_ranks, "_MOST_HISTOGRAMS", 100)
    answer = viewer.get(_PATH, {**in_range, "statistic": "max", "ordering": "latency_p95_ms"})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "ordering")


def test_a_statistic_without_a_range_is_refused(viewer: APIClient, one_flow: str) -> None:
    answer = viewer.get(_PATH, {"statistic": "avg"})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "statistic")


def test_a_range_that_ends_before_it_begins_is_refused(viewer: APIClient, one_flow: str) -> None:
    answer = viewer.get(_PATH, {"from_ms": "2000", "to_ms": "1000"})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "from_ms")
