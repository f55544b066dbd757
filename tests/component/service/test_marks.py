"""Marks of charts over REST: events, gaps and versions of several flows in one answer."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.configuration.models import ConfigVersion
from tests.component.service.conftest import BOTH, configured, flow_definition
from tests.support.configuration import config_import
from tests.support.metrics.tiles import event, gap

pytestmark = BOTH

_MARKS = "/api/v2/marks"
_THERE, _BACK = "us-east->eu-central", "eu-central->us-east"


@pytest.fixture
def stored(db: None) -> None:
    event("us-east", "eu-central", 1_000)
    event("us-east", "eu-central", 3_000, topic="orders")
    event("eu-central", "us-east", 2_000)
    event("us-east", "asia", 2_500)
    gap("us-east", "eu-central", "orders", 2_000)
    gap("us-east", "asia", "orders", 2_000)


def marks(client: APIClient, **query: Any) -> dict[str, Any]:
    answer = client.get(_MARKS, query)
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def times(body: dict[str, Any]) -> tuple[list[int], list[int], bool]:
    return [each["time_ms"] for each in body["events"]], [each["detected_ms"] for each in body["gaps"]], body["is_cut"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ([3_000, 2_500, 2_000, 1_000], [2_000, 2_000], False)),
        ({"flow": _THERE}, ([3_000, 1_000], [2_000], False)),
        ({"flow": [_THERE, _BACK]}, ([3_000, 2_000, 1_000], [2_000], False)),
        ({"flow": "us-east->nowhere"}, ([], [], False)),
        ({"flow": [_THERE, _BACK], "from_ms": 2_000, "to_ms": 3_000}, ([2_000], [2_000], False)),
        ({"flow": _THERE, "limit": 1}, ([3_000], [2_000], True)),
        ({"source": "us-east", "target": "asia"}, ([2_500], [2_000], False)),
    ],
)
def test_marks_are_those_of_the_named_flows_in_the_range_the_newest_first(
    viewer: APIClient, stored: None, query: dict[str, Any], found: Any
) -> None:
    assert times(marks(viewer, **query)) == found


def test_a_version_of_the_configuration_is_a_mark_of_every_flow_in_its_range(viewer: APIClient, stored: None) -> None:
    config_import(configured(flow_definition("us-east", "eu-central")))
    version = ConfigVersion.objects.first()
    assert version is not None
    at_ms = marks(viewer, flow=_BACK)["versions"][0]["at_ms"]

    def numbers(**query: Any) -> list[int]:
        return [each["number"] for each in marks(viewer, flow=_BACK, **query)["versions"]]

    assert numbers(from_ms=at_ms)[0] == version.number
    assert version.number not in numbers(to_ms=at_ms)
    assert version.number not in numbers(from_ms=at_ms + 1)


@pytest.mark.parametrize("text", ["us-east", "->eu-central", "us-east->", ""])
def test_a_text_that_names_no_flow_is_refused(viewer: APIClient, db: None, text: str) -> None:
    answer = viewer.get(_MARKS, {"flow": text})

    assert answer.status_code == 400
    assert "flow" in str(answer.json()["errors"])
