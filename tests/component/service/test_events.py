"""Events over REST: filters, pages, orders, files, and a metrics store that does not answer."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError
from rest_framework.test import APIClient

from srm_service.flows.models import Flow
from tests.component.service.conftest import BOTH, configured, flow_definition
from tests.support.configuration import config_import
from tests.support.metrics.tiles import event

pytestmark = BOTH

_EVENTS = "/api/v2/events"


@pytest.fixture
def stored(db: None) -> list[int]:
    """Six events of two flows, the oldest first, each a second after the other."""
    rows: list[dict[str, Any]] = [
        {},
        {"topic": "orders", "driver": "d9"},
        {"topic": "orders", "partition": 3, "to_state": "failed", "cause": "authorization"},
        {"topic": "bills", "scope": "record", "to_state": "skip", "cause": "record_refused", "text": "offset 7"},
        {"to_state": "failed", "text": "=1+1"},
    ]
    made = [event("us-east", "eu-central", 1_000 * number, **row) for number, row in enumerate(rows)]
    return [*made, event("eu-central", "us-east", 5_000)]


def listed(client: APIClient, **query: Any) -> list[int]:
    answer = client.get(_EVENTS, query)
    assert answer.status_code == 200, answer.content
    return [item["id"] for item in answer.json()["items"]]


def test_the_newest_events_are_first_with_all_their_fields(viewer: APIClient, stored: list[int]) -> None:
    answer = viewer.get(_EVENTS).json()

    assert [item["id"] for item in answer["items"]] == stored[::-1]
    assert answer["items"][2] == {
        "id": stored[3],
        "time_ms": 3_000,
        "source": "us-east",
        "target": "eu-central",
        "task": "us-east->eu-central/source-0",
        "driver": "d1",
        "scope": "record",
        "topic": "bills",
        "partition": 0,
        "from_state": "caught_up",
        "to_state": "skip",
        "cause": "record_refused",
        "text": "offset 7",
    }
    assert (answer["next_cursor"], answer["partial"]) == (None, [])


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({"source": "us-east", "target": "eu-central"}, [4, 3, 2, 1, 0]),
        ({"source": "eu-central"}, [5]),
        ({"source": "nowhere"}, []),
        ({"topic": "orders"}, [2, 1]),
        ({"topic": "orders", "partition": 0}, [1]),
        ({"scope": "slot"}, [5, 4, 0]),
        ({"scope": "record"}, [3]),
        ({"state": "failed"}, [4, 2]),
        ({"state": "failed", "scope": "partition"}, [2]),
        ({"cause": "record_refused"}, [3]),
        ({"driver": "d9"}, [1]),
        ({"driver": "d2"}, []),
        ({"from_ms": 2_000, "to_ms": 4_000}, [3, 2]),
        ({"to_ms": 1}, [0]),
        ({"ordering": "time_ms"}, [0, 1, 2, 3, 4, 5]),
        ({"ordering": "topic", "limit": 3}, [3, 1, 2]),
        ({"ordering": "cause"}, [2, 1, 3, 0, 4, 5]),
        ({"ordering": "-driver"}, [1, 0, 2, 3, 4, 5]),
    ],
)
def test_events_are_filtered_and_ordered(
    viewer: APIClient, stored: list[int], query: dict[str, Any], numbers: list[int]
) -> None:
    assert listed(viewer, **query) == [stored[number] for number in numbers]


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({"label": "team:payments"}, [4, 3, 2, 1, 0]),
        ({"label": "team:payments", "scope": "record"}, [3]),
        ({"owner": "ann"}, [5]),
        ({"criticality": "high"}, []),
    ],
)
def test_events_are_filtered_by_the_description_of_their_flow(
    viewer: APIClient, stored: list[int], query: dict[str, Any], numbers: list[int]
) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("eu-central", "us-east")))
    Flow.objects.filter(source__alias="us-east").update(labels={"team": "payments"})
    Flow.objects.filter(source__alias="eu-central").update(owner="ann")

    assert listed(viewer, **query) == [stored[number] for number in numbers]


@pytest.mark.parametrize("ordering", ["-time_ms", "topic", "-topic", "source"])
def test_pages_hold_each_event_once_although_others_arrive(viewer: APIClient, stored: list[int], ordering: str) -> None:
    whole = listed(viewer, ordering=ordering)
    found: list[int] = []
    cursor: str | None = ""
    while cursor is not None:
        query: dict[str, Any] = {"ordering": ordering, "limit": 2, **({"cursor": cursor} if cursor else {})}
        page = viewer.get(_EVENTS, query).json()
        found += [item["id"] for item in page["items"]]
        cursor = page["next_cursor"]
        event("us-east", "eu-central", 90_000) if len(found) == 2 else None

    assert [number for number in found if number in stored] == whole
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"state": "stalld"}, "state"),
        ({"scope": "task"}, "scope"),
        ({"partition": 0}, "partition"),
        ({"topic": "t", "partition": -1}, "partition"),
        ({"from_ms": 5, "to_ms": 5}, "from_ms"),
        ({"to_ms": 0}, "from_ms"),
        ({"flow": "us-east->eu-central"}, "flow"),
        ({"cursor": "garbage"}, "cursor"),
        ({"from_ms": "yesterday"}, "from_ms"),
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused_by_name(
    viewer: APIClient, db: None, query: dict[str, Any], named: str
) -> None:
    answer = viewer.get(_EVENTS, query)

    assert answer.status_code == 400
    assert named in {error["field"] for error in answer.json()["errors"]}


def test_a_file_has_the_same_events_and_no_formula(viewer: APIClient, stored: list[int]) -> None:
    answer = viewer.get(f"{_EVENTS}/export", {"source": "us-east"})
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))

    assert answer.headers["Content-Disposition"] == 'attachment; filename="events.csv"'
    assert [int(row["id"]) for row in rows] == stored[4::-1]
    assert (rows[0]["at"], rows[0]["text"], rows[0]["topic"]) == ("1970-01-01T00:00:04.000+00:00", "'=1+1", "")
    as_json = viewer.get(f"{_EVENTS}/export", {"file": "json", "state": "skip"}).json()
    assert as_json == [item for item in viewer.get(_EVENTS).json()["items"] if item["to_state"] == "skip"]


@pytest.mark.parametrize("address", [_EVENTS, f"{_EVENTS}/export"])
def test_a_metrics_store_that_does_not_answer_is_named(
    viewer: APIClient, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    def broken(*arguments: Any, **options: Any) -> Callable[..., Any]:
        raise DatabaseError("disk I/O error")

    monkeypatch.setattr("srm_service.monitoring.events.reported_rows", broken)
    answer = viewer.get(address)

    assert (answer.status_code, answer.json()["detail"]) == (
        503,
        "The metrics store does not answer or is not migrated: see /readyz.",
    )
