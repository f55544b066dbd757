"""Gaps over REST: fields, filters, orders and pages; a metrics store that does not answer."""

from typing import Any

import pytest
from django.db import DatabaseError
from rest_framework.test import APIClient

from srm_service.monitoring.models import Gap
from tests.component.service.conftest import BOTH, configured, flow_definition
from tests.support.configuration import config_import
from tests.support.metrics.tiles import gap

pytestmark = BOTH

_GAPS = "/api/v2/gaps"


@pytest.fixture
def stored(db: None) -> list[int]:
    """Four gaps of two flows, the oldest first."""
    gap("us-east", "eu-central", "orders", 1_000)
    gap("us-east", "eu-central", "bills", 2_000, partition=3, cause="out_of_range", to_offset=None, count=None)
    gap("us-east", "eu-central", "orders", 3_000, policy="stop", from_offset=5, to_offset=105, count=100)
    gap("eu-central", "us-east", "stock", 4_000)
    return list(Gap.objects.order_by("detected_ms").values_list("id", flat=True))


def listed(client: APIClient, **query: Any) -> list[int]:
    answer = client.get(_GAPS, query)
    assert answer.status_code == 200, answer.content
    return [item["id"] for item in answer.json()["items"]]


def test_the_newest_gaps_are_first_with_all_their_fields(viewer: APIClient, stored: list[int]) -> None:
    answer = viewer.get(_GAPS).json()

    assert [item["id"] for item in answer["items"]] == stored[::-1]
    assert answer["items"][1] == {
        "id": stored[2],
        "detected_ms": 3_000,
        "source": "us-east",
        "target": "eu-central",
        "topic": "orders",
        "partition": 0,
        "cause": "retention",
        "from_offset": 5,
        "to_offset": 105,
        "records": 100,
        "policy": "stop",
        "topic_id": "00",
    }
    assert (answer["items"][2]["to_offset"], answer["items"][2]["records"]) == (None, None)


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({"source": "us-east", "target": "eu-central"}, [2, 1, 0]),
        ({"topic": "orders"}, [2, 0]),
        ({"topic": "bills", "partition": 3}, [1]),
        ({"topic": "bills", "partition": 2}, []),
        ({"cause": "out_of_range"}, [1]),
        ({"policy": "stop"}, [2]),
        ({"from_ms": 2_000, "to_ms": 4_000}, [2, 1]),
        ({"ordering": "detected_ms", "limit": 2}, [0, 1]),
        ({"ordering": "-records"}, [2, 0, 3, 1]),
        ({"ordering": "records"}, [0, 3, 2, 1]),
        ({"ordering": "-policy", "limit": 1}, [2]),
        ({"ordering": "from_offset"}, [0, 1, 3, 2]),
    ],
)
def test_gaps_are_filtered_and_ordered(
    viewer: APIClient, stored: list[int], query: dict[str, Any], numbers: list[int]
) -> None:
    assert listed(viewer, **query) == [stored[number] for number in numbers]


def test_gaps_are_filtered_by_the_description_of_their_flow(viewer: APIClient, stored: list[int]) -> None:
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("eu-central", "us-east")))
    changed = viewer.get("/api/v2/replications").json()["items"][0]
    assert (changed["source"], changed["owner"]) == ("eu-central", "")

    assert listed(viewer, owner="nobody-at-all") == []
    assert listed(viewer, criticality=changed["criticality"]) == stored[::-1]


def test_pages_hold_each_gap_once_although_others_arrive(viewer: APIClient, stored: list[int]) -> None:
    first = viewer.get(_GAPS, {"limit": 2}).json()
    gap("us-east", "eu-central", "orders", 9_000)
    second = viewer.get(_GAPS, {"limit": 2, "cursor": first["next_cursor"]}).json()

    assert [item["id"] for page in (first, second) for item in page["items"]] == stored[::-1]
    assert second["next_cursor"] is None


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"cause": "no_such"}, "cause"),
        ({"partition": 0}, "partition"),
        ({"from_ms": 5, "to_ms": 5}, "from_ms"),
        ({"cursor": "garbage"}, "cursor"),
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused_by_name(
    viewer: APIClient, db: None, query: dict[str, Any], named: str
) -> None:
    answer = viewer.get(_GAPS, query)

    assert answer.status_code == 400
    assert named in {error["field"] for error in answer.json()["errors"]}


def test_a_metrics_store_that_does_not_answer_is_named(
    viewer: APIClient, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*args: object, **options: object) -> Any:
        raise DatabaseError

    monkeypatch.setattr("srm_service.fleet.api.gaps.rows_page", fails)

    answer = viewer.get(_GAPS)
    assert answer.status_code == 503
    assert "The metrics store does not answer" in answer.json()["detail"]
