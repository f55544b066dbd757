"""One metric of all flows over time: each flow has its own points, and nothing is added up."""

from typing import Any

import pytest
from django.db import DatabaseError, connections
from django.test.utils import CaptureQueriesContext
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


def items_of(viewer: APIClient, begin: int, **query: str) -> dict[str, Any]:
    window: dict[str, str | float] = {"from_ms": begin, "to_ms": begin + 2 * _STEP, "step_ms": _STEP}
    answer = viewer.get(_URL, {"metric": "records_per_second", **window, **query})
    assert answer.status_code == 200, answer.content
    return {f"{item['source']}->{item['target']}": item for item in answer.json()["items"]}


def points_of(viewer: APIClient, begin: int, **query: str) -> dict[str, list[float | None]]:
    found = items_of(viewer, begin, **query)
    return {key: [point and point[1] for point in item["points"]] for key, item in found.items()}


def test_every_flow_has_its_own_points(viewer: APIClient, begin: int) -> None:
    assert points_of(viewer, begin) == {
        "us-east->eu-central": [50.0, None],
        "eu-central->us-east": [None, 10.0],
        "us-east->us-west": [None, None],
    }


def test_flows_of_a_cluster_are_chosen(viewer: APIClient, begin: int) -> None:
    assert set(points_of(viewer, begin, source="us-east")) == {"us-east->eu-central", "us-east->us-west"}
    assert points_of(viewer, begin, source="us-east", target="us-east") == {}


def test_every_point_of_a_latency_has_the_p95_of_its_records(viewer: APIClient, begin: int) -> None:
    """It is that of the series of one flow, to a tenth, and not the slowest record."""
    series = tiles.series("us-east", "us-west")
    tiles.tile(series, begin, latencies_ms=[10] * 90 + [100] * 8 + [5_000] * 2)
    tiles.tile(series, begin + _STEP, latencies_ms=[10] * 100)
    forget_store_state()

    found = items_of(viewer, begin, metric="replication_latency_ms")
    window = f"from_ms={begin}&to_ms={begin + 2 * _STEP}&step_ms={_STEP}"
    one = viewer.get(f"/api/v2/replications/us-east/us-west/series?metric=replication_latency_ms&{window}").json()

    assert found["us-east->us-west"]["p95"] == [round(each[2], 1) for each in one["details"]]
    assert 90 <= found["us-east->us-west"]["p95"][0] <= 110
    assert found["us-east->us-west"]["p95"][1] == 10
    assert found["us-east->us-west"]["points"][0][3] == 5_000
    assert found["us-east->eu-central"]["p95"] == [None, None]


def test_a_metric_that_is_no_histogram_has_no_p95(viewer: APIClient, begin: int) -> None:
    assert {item["p95"] for item in items_of(viewer, begin).values()} == {None}


def test_the_p95_costs_no_query(viewer: APIClient, begin: int) -> None:
    """A rate and a latency are read alike: neither reads more."""
    counts = []
    for metric in ("records_per_second", "replication_latency_ms"):
        items_of(viewer, begin, metric=metric)  # what is kept is made
        forget_store_state()
        with CaptureQueriesContext(connections["metrics"]) as queries:
            items_of(viewer, begin, metric=metric, source="us-east")
        counts.append(len(queries))
    assert counts[0] == counts[1]


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
