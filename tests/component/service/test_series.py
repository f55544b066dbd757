"""A metric over time: which tiles are read, and what is refused."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from srm_service.monitoring.flows.freshness import forget_store_state
from srm_service.monitoring.series.tiles import store_marks
from tests.component.service.conftest import BOTH, at_ms
from tests.support.metrics import tiles

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


def test_an_hour_that_was_measured_in_part_gives_records_per_measured_second(viewer: APIClient, one_flow: str) -> None:
    hour = 60 * _MINUTE
    begin = _aligned(hour, 3 * hour)
    series_id = tiles.series("us-east", "eu-central")
    for each in range(30, 60):  # it began in the middle
        tiles.tile(series_id, begin + each * _MINUTE, width="1m", records=600)
    tiles.tile(series_id, begin, width="1h", records=18_000)
    tiles.tile(series_id, begin + hour, width="1h", records=3_600)
    tiles.rolled("eu-central", "1m", begin + 2 * hour)
    tiles.rolled("eu-central", "1h", begin + 2 * hour)

    points = _points(viewer, metric="records_per_second", from_ms=begin, to_ms=begin + 2 * hour, step_ms=hour)

    assert [point and point[1] for point in points] == [10.0, 1.0]


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


def test_a_tile_that_may_still_grow_is_skipped(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 0)
    tiles.tile(tiles.series("us-east", "eu-central"), begin)

    points = _points(viewer, metric="records_per_second", from_ms=begin - 10_000, to_ms=begin + 10_000)

    assert points[-1] is None


def test_a_metric_that_is_not_measured_yet_is_null_and_not_zero(viewer: APIClient, one_flow: str) -> None:
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


def test_a_step_has_its_sum_and_percentiles(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(_MINUTE, 10 * _MINUTE)
    series_id = tiles.series("us-east", "eu-central")
    for n in range(6):
        tiles.tile(series_id, begin + n * 10_000, records=n * 100, latencies_ms=[10 * (n + 1)] * 10)
    forget_store_state()
    window: dict[str, Any] = {"from_ms": begin, "to_ms": begin + 2 * _MINUTE, "step_ms": _MINUTE}

    rates = viewer.get(_URL, {"metric": "records_per_second", **window}).json()
    latency = viewer.get(_URL, {"metric": "replication_latency_ms", **window}).json()

    assert rates["details"] == [[1_500.0, 20.0, 50.0, 50.0], None]
    total, *percentiles = latency["details"][0]
    assert total == 2_100
    for found, true in zip(percentiles, (30, 60, 60), strict=True):
        assert true / 2 ** (1 / 4) <= found <= true * 2 ** (1 / 4)


def test_a_partition_has_a_series_of_its_own_and_an_unknown_one_is_not_found(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 5 * _MINUTE)
    tiles.tile(tiles.series("us-east", "eu-central", "orders", 3), begin, level="partition", records=70)
    query: dict[str, Any] = {
        "metric": "records_per_second",
        "from_ms": begin,
        "to_ms": begin + 10_000,
        "topic": "orders",
    }

    assert _points(viewer, **query, partition=3) == [[begin, 7.0, 7.0, 7.0, 1]]
    missing = viewer.get(_URL, {**query, "partition": 4})
    assert missing.status_code == 404
    assert "no topic orders partition 4" in missing.json()["detail"]


def test_an_unknown_topic_is_not_found_rather_than_empty(viewer: APIClient, one_flow: str) -> None:
    answer = viewer.get(_URL, {"metric": "lag_offsets", "topic": "no-such-topic"})

    assert answer.status_code == 404
    assert "no-such-topic" in answer.json()["detail"]


def test_all_flows_of_a_cluster_are_added_up_by_direction(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 5 * _MINUTE)
    tiles.tile(tiles.series("us-east", "eu-central"), begin, records=500, lag_last=4)
    window: dict[str, Any] = {"metric": "records_per_second", "from_ms": begin, "to_ms": begin + 10_000}

    into = viewer.get("/api/v2/clusters/eu-central/series", window).json()["points"]
    out_of = viewer.get("/api/v2/clusters/eu-central/series", {**window, "direction": "out"}).json()["points"]

    assert into == [[begin, 50.0, 50.0, 50.0, 1]]
    assert out_of == [None]
    assert viewer.get("/api/v2/clusters/nowhere/series", window).status_code == 404


def test_heartbeat_ages_come_from_gauges_and_gaps_from_their_records(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 5 * _MINUTE)
    series_id = tiles.series("us-east", "eu-central")
    tiles.gauge(series_id, "heartbeat_age_ms", begin, count=2, low=40, high=80, total=120)
    tiles.gap("us-east", "eu-central", "orders", begin + 1)
    window: dict[str, Any] = {"from_ms": begin, "to_ms": begin + 20_000}

    assert _points(viewer, metric="heartbeat_age_ms", **window) == [[begin, 60.0, 40.0, 80.0, 2], None]
    assert _points(viewer, metric="gaps", **window) == [[begin, 1.0, 1.0, 1.0, 1], None]


def test_lag_in_time_is_the_oldest_copied_record_and_zero_when_level(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 5 * _MINUTE)
    series_id = tiles.series("us-east", "eu-central")
    tiles.tile(series_id, begin, ages_ms=[5, 9_000])
    tiles.tile(series_id, begin + 10_000, lag_last=0)
    tiles.tile(series_id, begin + 20_000, lag_last=7)

    points = _points(viewer, metric="lag_ms", from_ms=begin, to_ms=begin + 30_000)

    assert points == [[begin, 9_000.0, 9_000.0, 9_000.0, 1], [begin + 10_000, 0.0, 0.0, 0.0, 1], None]


def test_the_throttled_share_is_of_all_partitions(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(10_000, 5 * _MINUTE)
    for partition in range(4):
        tiles.series("us-east", "eu-central", "orders", partition)
    tiles.tile(tiles.series("us-east", "eu-central"), begin, throttled_ms=10_000)

    assert _points(viewer, metric="throttled_ratio", from_ms=begin, to_ms=begin + 10_000) == [
        [begin, 0.25, 0.25, 0.25, 1]
    ]


@pytest.mark.parametrize(
    ("url", "query", "complaint"),
    [
        (
            _URL,
            "metric=lag_offsets&percentiles=50,200",
            "percentiles: This is no parameter here; there are from_ms, group, metric",
        ),
        (_URL, "metric=lag_offsets&metric=gaps", "metric: It is given more than once"),
        ("/api/v2/clusters/us-east/series", "metric=lag_offsets&topic=orders", "topic: This is no parameter here"),
        ("/api/v2/metrics/summary", "step=5", "step: This is no parameter here"),
    ],
)
def test_what_would_be_ignored_is_refused_by_name(
    viewer: APIClient, one_flow: str, url: str, query: str, complaint: str
) -> None:
    answer = viewer.get(f"{url}?{query}")

    assert answer.status_code == 400
    assert complaint in answer.json()["detail"]


@pytest.mark.parametrize("step_ms", [-10_000, 0, 10**15])
def test_an_impossible_step_is_rejected(viewer: APIClient, one_flow: str, step_ms: int) -> None:
    answer = viewer.get(_URL, {"metric": "lag_offsets", "step_ms": str(step_ms)})

    assert answer.status_code == 400
    assert "step_ms" in answer.content.decode()


def test_the_running_hour_is_read_from_minutes_because_its_own_tile_is_still_filled(
    viewer: APIClient, one_flow: str
) -> None:
    hour = 60 * _MINUTE
    begin = _aligned(hour, 2 * hour)
    series_id = tiles.series("us-east", "eu-central")
    tiles.tile(series_id, begin, width="1h", records=60_000)
    for n in range(60):
        tiles.tile(series_id, begin + n * _MINUTE, width="1m", records=6_000)
    tiles.rolled("eu-central", "1m", begin + 60 * _MINUTE)
    tiles.rolled("eu-central", "1h", begin + 10 * _MINUTE)

    points = _points(viewer, metric="records_per_second", from_ms=begin, to_ms=begin + hour, step_ms=hour)

    assert [point and point[1] for point in points] == [100.0]


def test_a_target_that_was_never_counted_hides_no_other_ones_history(viewer: APIClient, one_flow: str) -> None:
    begin = _aligned(60 * _MINUTE, 3 * 60 * _MINUTE)
    tiles.rolled("eu-central", "1m", begin + 60 * _MINUTE)
    tiles.rolled("eu-central", "1h", begin + 60 * _MINUTE)

    marks = store_marks({"eu-central", "never-counted"}, at_ms())

    assert (marks.minutes_to_ms, marks.hours_to_ms) == (begin + 60 * _MINUTE, begin + 60 * _MINUTE)
