"""Every list of the REST API as CSV: whole, filtered, ordered, and safe to open in a spreadsheet."""

import asyncio
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import redis
from django.contrib.auth.models import User
from django.http import HttpResponse, StreamingHttpResponse
from django.test import AsyncClient
from rest_framework.test import APIClient

from srm_service.clusters.models import Cluster
from srm_service.core.api.files import csv_lists
from srm_service.core.api.files.csv_lists import accepts_csv, csv_cell
from tests.component.service.conftest import BOTH, at_ms, put
from tests.support.drivers import live_documents as live
from tests.support.metrics import tiles

pytestmark = [BOTH, pytest.mark.redis]

_DOCUMENT = json.loads((Path(__file__).parents[3] / "frontend" / "openapi.json").read_text())
_FLOW = ("us-east", "eu-central")
_TOPICS = "/api/v2/replications/us-east/eu-central/topics"
_CSV = {"Accept": "text/csv"}


def _lists() -> list[str]:
    """Return the addresses of all operations whose answer is a list."""
    found = []
    for path, operations in _DOCUMENT["paths"].items():
        answer = operations.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        name = answer.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
        if {"items", "next_cursor"} <= _DOCUMENT["components"]["schemas"].get(name, {}).get("properties", {}).keys():
            found.append(path)
    return found


def _rows(answer: HttpResponse | StreamingHttpResponse) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def _both(api: APIClient, path: str) -> tuple[list[dict[str, str]], HttpResponse]:
    """Return the texts of a list's JSON, and its CSV; reads again if a check in the background changed it between."""
    for _ in range(10):
        texts = _texts(api, path)
        answer = api.get(path, headers=_CSV)
        if _texts(api, path) == texts:
            return texts, answer
    pytest.fail(f"{path} changes with each read")


def _texts(api: APIClient, path: str) -> list[dict[str, str]]:
    items = api.get(path, {"limit": "1000"}).json()["items"]
    return [{name: value for name, value in item.items() if isinstance(value, str)} for item in items]


@pytest.mark.parametrize("path", _lists())
def test_every_list_is_documented_as_csv(path: str) -> None:
    operation = _DOCUMENT["paths"][path]["get"]

    assert set(operation["responses"]["200"]["content"]) == {"application/json", "text/csv"}
    assert "format" in {parameter["name"] for parameter in operation["parameters"]}


@pytest.mark.parametrize("path", [path for path in _lists() if "{" not in path and "config" not in path])
def test_a_list_has_the_same_rows_as_csv_and_as_json(
    admin: APIClient, one_flow: str, live_redis: redis.Redis, path: str
) -> None:
    now = at_ms()
    put(live_redis, live.source_task(*_FLOW, now), live.driver("driver-1", "data", now))
    tiles.event(*_FLOW, now)

    items, answer = _both(admin, path)

    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    rows = _rows(answer)
    assert len(rows) == len(items)
    for row, item in zip(rows, items, strict=True):
        for name in [name for name, value in item.items() if not value.startswith("-")]:
            assert row[name] == item[name]


def test_the_whole_list_comes_filtered_and_in_order(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_lists, "MAX_PAGE", 3)
    for number in range(10):
        tiles.now_row(tiles.series(*_FLOW, f"orders{number}"), at_ms(), lag=number)
    tiles.now_row(tiles.series(*_FLOW, "payments"), at_ms(), lag=99)

    answer = viewer.get(_TOPICS, {"q": "orders", "ordering": "-lag_offsets", "format": "csv"})

    assert [row["lag_offsets"] for row in _rows(answer)] == [str(lag) for lag in range(9, -1, -1)]
    assert answer["Content-Disposition"] == 'attachment; filename="topics.csv"'


def test_a_page_has_a_link_to_the_next_one(viewer: APIClient, one_flow: str, live_redis: redis.Redis) -> None:
    for number in range(3):
        tiles.now_row(tiles.series(*_FLOW, f"orders{number}"), at_ms())

    first = viewer.get(_TOPICS, {"limit": "2"}, headers=_CSV)
    second = viewer.get(first["Link"].partition(">")[0][1:], headers=_CSV)

    assert [row["topic"] for answer in (first, second) for row in _rows(answer)] == ["orders0", "orders1", "orders2"]
    assert "Link" not in second


def test_nested_values_have_columns_and_unknown_ones_are_empty(
    viewer: APIClient, one_flow: str, live_redis: redis.Redis
) -> None:
    cause = {"code": "fatal", "text": "=disk full", "topic": None, "partition": None, "since_ms": 7}
    put(live_redis, live.source_task(*_FLOW, at_ms(), last_error=cause))

    (row,) = _rows(viewer.get("/api/v2/tasks", headers=_CSV))

    assert (row["last_error.text"], row["last_error.since_ms"], row["cause.text"]) == ("'=disk full", "7", "")


def test_parts_that_did_not_answer_are_named(viewer: APIClient, one_flow: str, settings: Any) -> None:
    settings.SRM_REDIS_URL = "redis://127.0.0.1:1/0"

    assert viewer.get("/api/v2/replications", headers=_CSV)["X-Partial"] == "redis"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum", "\t=1", "\r=1", "\n=1"])
def test_a_spreadsheet_calculates_no_text(text: str) -> None:
    assert csv_cell(text) == f"'{text}"


def test_numbers_remain_numbers() -> None:
    assert [csv_cell(value) for value in (-1, 2.5, None, {"a": 1})] == [-1, 2.5, None, '{"a":1}']


@pytest.mark.parametrize(
    ("accept", "is_csv"),
    [
        ("text/csv", True),
        ("text/csv;q=0.9, */*;q=0.1", True),
        ("text/csv, application/json", True),
        ("application/json, text/csv", False),
        ("*/*", False),
        ("", False),
    ],
)
def test_csv_is_answered_to_those_that_name_it_first(accept: str, is_csv: bool) -> None:
    assert accepts_csv(accept) is is_csv


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("/api/v2/replications?format=xml", {}, 400),
        ("/api/v2/replications?format=csv&format=json", {}, 400),
        ("/api/v2/replications?no=1", _CSV, 400),
        ("/api/v2/replications/a/b/topics", _CSV, 404),
        ("/api/v2/metrics/summary", _CSV, 406),
        ("/api/v2/me?format=csv", {}, 400),
    ],
)
def test_refusals_are_problem_documents(
    viewer: APIClient, live_redis: redis.Redis, address: str, headers: dict[str, str], status: int
) -> None:
    answer = viewer.get(address, headers=headers)

    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")


@pytest.mark.django_db(transaction=True, databases=["default", "metrics"])
def test_a_server_reads_the_next_page_only_when_the_client_has_taken_one(
    monkeypatch: pytest.MonkeyPatch, live_redis: redis.Redis
) -> None:
    monkeypatch.setattr(csv_lists, "MAX_PAGE", 2)
    for name in ("a", "b", "c"):
        Cluster.objects.create(alias=name, bootstrap=[f"{name}:9092"])
    user = User.objects.create_superuser("root")

    async def texts() -> list[bytes]:
        client = AsyncClient()
        await client.aforce_login(user)
        answer: Any = await client.get("/api/v2/clusters?format=csv")
        return [text async for text in answer.streaming_content]

    first, second = asyncio.run(texts())

    assert (len(first.splitlines()), len(second.splitlines())) == (3, 1)
