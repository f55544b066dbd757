"""The limit of a flow, and the bytes in flight that a long link needs."""

import pytest

from replication.domain.fetch.tuning import MIB, Tuning, tune
from replication.domain.health.limit import SlotMeasures, limit_of


@pytest.mark.parametrize(
    ("measures", "code"),
    [
        (SlotMeasures(lagging=0.0, target_full=1.0, loop_busy=1.0), "caught_up"),
        (SlotMeasures(lagging=0.0, blocked=1.0), "blocked"),
        (SlotMeasures(lagging=1.0, throttled=0.9, loop_busy=0.9), "throttle"),
        (SlotMeasures(lagging=1.0, quota=0.5, target_full=0.9), "quota"),
        (SlotMeasures(lagging=1.0, loop_busy=0.95, target_full=0.9), "cpu"),
        (SlotMeasures(lagging=1.0, loop_busy=0.3, target_full=0.9), "target_acks"),
        (SlotMeasures(lagging=1.0, memory_full=0.5, target_full=0.9), "target_acks"),
        (SlotMeasures(lagging=1.0, memory_full=0.5), "memory"),
        (SlotMeasures(lagging=0.8, loop_busy=0.3, target_full=0.1), "source_fetch"),
    ],
)
def test_the_first_limit_that_holds_is_named(measures: SlotMeasures, code: str) -> None:
    assert limit_of(measures).code == code


def test_a_far_cluster_is_told_with_its_distance() -> None:
    far = SlotMeasures(lagging=1.0, target_full=1.0, target_round_trip_ms=203.4)

    assert "203 ms" in limit_of(far).text


def test_near_clusters_and_unknown_ones_keep_the_defaults() -> None:
    assert tune(None, None) == tune(0.4, 2.0) == Tuning()


def test_a_link_of_200_ms_is_kept_full_within_bounds() -> None:
    far = tune(200.0, 200.0)

    assert far.partition_max_bytes == 8 * MIB
    assert far.fetch_max_bytes == 32 * MIB
    assert far.hold_bytes == 16 * MIB
    assert far.requests_in_flight == 20
    assert tune(10_000.0, 10_000.0) == far


def test_a_long_way_to_the_target_alone_leaves_the_fetches_as_they_are() -> None:
    assert tune(1.0, 100.0).fetch_max_bytes == Tuning().fetch_max_bytes
    assert tune(1.0, 100.0).requests_in_flight == 10
