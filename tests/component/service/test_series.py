"""A metric over time: which tiles are read, and what is refused."""

import pytest
from rest_framework.test import APIClient

from srm_service.monitoring.freshness import forget_store_state
from tests.component.service.conftest import BOTH, at_ms
from tests.support import tiles

pytestmark = BOTH

_URL = "/api/v2/replications/us-east/eu-central/series"
_MINUTE = 60_000


def _aligned(step_ms: int, back_ms: int) -> int:
    now = at_ms()
    return now - now % step_ms - back_ms


def _points(viewer: APIClient, **query: str | float) -> list[list[float] | None]:
    forget_store_state()
    response = viewer.get(_URL, query)
    assert response.status_code == 200, response.content
    points: list[list[float] | None] = response.json()["points"]
    return points


def test_a_tile_is_a_point_and_a_missing_tile_is_null(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 5 * _MINUTE)
    series_id = tiles.series("us-east", "eu-central")
    tiles.tile(series_id, begin, records=500)
    tiles.tile(series_id, begin + 20_000, records=0)

    points = _points(viewer, metric="records_per_second", from_ms=begin, to_ms=begin + 30_000, step_ms=10_000)

    assert points == [[begin, 50.0, 50.0, 50.0, 1], None, [begin + 20_000, 0.0, 0.0, 0.0, 1]]


def test_a_step_of_a_minute_composes_its_tiles(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(_MINUTE, 10 * _MINUTE)
    series_id = tiles.series("us-east", "eu-central")
    for n in range(6):
        tiles.tile(series_id, begin + n * 10_000, records=n * 100)

    points = _points(viewer, metric="records_per_second", from_ms=begin, to_ms=begin + _MINUTE, step_ms=_MINUTE)

    assert points == [[begin, 25.0, 0.0, 50.0, 6]]


def test_rolled_up_minutes_are_read_up_to_their_mark_and_fine_tiles_after_it(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(_MINUTE, 10 * _MINUTE)
    series_id = tiles.series("us-east", "eu-central")
    tiles.tile(series_id, begin, records=100)  # contained in the minute below: must not count twice
    tiles.tile(series_id, begin, width="1m", records=6_000)
    tiles.tile(series_id, begin + _MINUTE, records=500)
    tiles.rolled("eu-central", "1m", begin + _MINUTE)

    points = _points(viewer, metric="records_per_second", from_ms=begin, to_ms=begin + 2 * _MINUTE, step_ms=_MINUTE)

    assert [point and point[1] for point in points] == [100.0, 50.0]


def test_latency_percentiles_come_from_merged_histograms(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 5 * _MINUTE)
    series_id = tiles.series("us-east", "eu-central")
    tiles.tile(series_id, begin, latencies_ms=[10] * 99)
    tiles.tile(series_id, begin + 10_000, latencies_ms=[1_000])

    url = f"/api/v2/replications/us-east/eu-central?from_ms={begin}&to_ms={begin + 20_000}"
    latency = viewer.get(url).json()["metrics"]["replication_latency_ms"]

    assert latency["count"] == 100
    assert latency["p50"] == pytest.approx(10, rel=0.1)
    assert latency["p99"] == pytest.approx(10, rel=0.1)
    assert (latency["min"], latency["max"]) == (10, 1_000)
    assert latency["avg"] == pytest.approx(19.9)


def test_a_topic_has_a_series_of_its_own(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 5 * _MINUTE)
    tiles.tile(tiles.series("us-east", "eu-central", "orders"), begin, level="topic", bytes=5_000)

    points = _points(viewer, metric="bytes_per_second", topic="orders", from_ms=begin, to_ms=begin + 10_000)

    assert points == [[begin, 500.0, 500.0, 500.0, 1]]


def test_a_tile_that_may_still_grow_is_left_out(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 0)
    tiles.tile(tiles.series("us-east", "eu-central"), begin)

    points = _points(viewer, metric="records_per_second", from_ms=begin - 10_000, to_ms=begin + 10_000)

    assert points[-1] is None


def test_a_metric_nobody_measures_yet_is_null_and_not_zero(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 5 * _MINUTE)
    tiles.tile(tiles.series("us-east", "eu-central"), begin)

    assert _points(viewer, metric="checkpoint_latency_ms", from_ms=begin, to_ms=begin + 10_000) == [None]


def test_a_step_finer_than_what_is_kept_is_raised(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(3_600_000, 24 * 3_600_000)

    query: dict[str, str | float] = {"metric": "lag_offsets", "from_ms": begin, "to_ms": begin + 600_000}
    answer = viewer.get(_URL, query).json()

    assert answer["step_ms"] == _MINUTE


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"metric": "nonsense"}, "metric"),
        ({}, "metric"),
        ({"metric": "lag_offsets", "from_ms": 2_000, "to_ms": 1_000}, "from_ms"),
        ({"metric": "lag_offsets", "from_ms": "yesterday"}, "from_ms"),
        ({"metric": "lag_offsets", "from_ms": 0}, "from_ms"),
        ({"metric": "lag_offsets", "to_ms": 9_999_999_999_999}, "to_ms"),
        ({"metric": "lag_offsets", "step_ms": 0}, "step_ms"),
    ],
    ids=["unknown metric", "no metric", "from after to", "not a number", "too long", "far future", "no step"],
)
def test_nonsense_is_refused_by_field(
    viewer: APIClient, one_flow: str, query: dict[str, str | float], field: str
) -> None:
    response = viewer.get(_URL, query)

    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
    assert field in [error["field"] for error in response.json()["errors"]]


def test_more_points_than_anybody_draws_are_refused_with_a_step_that_fits(viewer: APIClient, one_flow: str) -> None:
    begin = at_ms() - 40 * 3_600_000

    query: dict[str, str | float] = {"metric": "lag_offsets", "from_ms": begin, "step_ms": 60_000}
    response = viewer.get(_URL, query)

    assert response.status_code == 400
    assert "use at least" in response.json()["errors"][0]["detail"]
