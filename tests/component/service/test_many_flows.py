"""One metric of all flows over time: each flow has its own points, and nothing is added up."""

import pytest
from django.db import DatabaseError
from rest_framework.test import APIClient

from srm_service.monitoring.flows.freshness import forget_store_state
from srm_service.monitoring.series.many_flows import least_step_ms
from srm_service.monitoring.series.selectors import Window
from tests.component.service.conftest import BOTH, at_ms, configured, flow_definition
from tests.support.configuration import config_import
from tests.support.metrics import tiles

pytestmark = BOTH
_URL = "/api/v2/metrics/flows"
_STEP = 10_000


@pytest.fixture
def begin(db: None) -> int:
    """Two flows with a tile each, ten seconds apart; a third flow has none."""
    config_import(
        configured(
            flow_definition("us-east", "eu-central"),
            flow_definition("eu-central", "us-east"),
            flow_definition("us-east", "us-west"),
        )
    )
    now = at_ms()
    begin = now - now % _STEP - 300_000
    tiles.tile(tiles.series("us-east", "eu-central"), begin, records=500)
    tiles.tile(tiles.series("eu-central", "us-east"), begin + _STEP, records=100)
    forget_store_state()
    return begin


def points_of(viewer: APIClient, begin: int, **query: str) -> dict[str, list[float | None]]:
    window: dict[str, str | float] = {"from_ms": begin, "to_ms": begin + 2 * _STEP, "step_ms": _STEP}
    answer = viewer.get(_URL, {"metric": "records_per_second", **window, **query})
    assert answer.status_code == 200, answer.content
    return {
        f"{item['source']}->{item['target']}": [point and point[1] for point in item["points"]]
        for item in answer.json()["items"]
    }


def test_every_flow_has_its_own_points(viewer: APIClient, begin: int) -> None:
    assert points_of(viewer, begin) == {
        "us-east->eu-central": [50.0, None],
        "eu-central->us-east": [None, 10.0],
        "us-east->us-west": [None, None],
    }


def test_flows_of_a_cluster_are_chosen(viewer: APIClient, begin: int) -> None:
    assert set(points_of(viewer, begin, source="us-east")) == {"us-east->eu-central", "us-east->us-west"}
    assert points_of(viewer, begin, source="us-east", target="us-east") == {}


def test_many_flows_over_a_long_time_get_wider_steps(viewer: APIClient, begin: int) -> None:
    query: dict[str, str | float] = {
        "metric": "bytes_per_second",
        "from_ms": begin - 86_400_000,
        "to_ms": begin,
        "step_ms": 60_000,
    }
    assert viewer.get(_URL, query).json()["step_ms"] >= 60_000


def test_200_flows_have_a_point_a_minute_over_two_hours() -> None:
    window = Window(from_ms=0, to_ms=7_200_000, step_ms=_STEP, now_ms=7_200_000)
    assert least_step_ms(200, window) == 60_000


@pytest.mark.parametrize(
    "query", [{}, {"metric": "gaps"}, {"metric": "heartbeat_age_ms"}, {"metric": "bytes_per_second", "colour": "red"}]
)
def test_nonsense_is_refused(viewer: APIClient, db: None, query: dict[str, str]) -> None:
    assert viewer.get(_URL, query).status_code == 400


def test_a_metrics_store_that_does_not_answer_is_named(
    viewer: APIClient, begin: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **values: object) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr("srm_service.monitoring.api.many_flows.many_series", refuse)

    answer = viewer.get(_URL, {"metric": "bytes_per_second"})

    assert answer.status_code == 503
    assert "metrics store" in answer.json()["detail"]
