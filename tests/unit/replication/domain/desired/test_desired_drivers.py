"""Driver orders: both ways through JSON, who is meant, and what cannot be read."""

import json

import pytest

from replication.domain.desired.desired_drivers import (
    DesiredDrivers,
    Drain,
    DriverOrdersError,
    Restart,
    desired_drivers_from_json,
    desired_drivers_to_json,
)

DRAIN = Drain(reason="new disks", by="ann", since_ms=1_000, expires_ms=5_000)
ORDERS = DesiredDrivers(
    revision=7, published_ms=1_000, drains={"berlin": DRAIN}, restarts={"berlin-2": Restart(id="a1", until_ms=9_000)}
)


def test_a_document_survives_the_way_through_json() -> None:
    assert desired_drivers_from_json(desired_drivers_to_json(ORDERS)) == ORDERS


@pytest.mark.parametrize(
    ("driver", "parent", "now_ms", "expected"),
    [
        ("berlin", "berlin", 2_000, DRAIN),
        ("berlin-3", "berlin", 2_000, DRAIN),
        ("berlin-3", "berlin-3", 2_000, None),
        ("berlin", "berlin", 5_000, None),
    ],
)
def test_a_drain_means_the_processes_of_a_driver_until_it_expires(
    driver: str, parent: str, now_ms: int, expected: Drain | None
) -> None:
    assert ORDERS.drain_of(driver, parent, now_ms) == expected


def test_a_restart_of_one_process_does_not_mean_the_others() -> None:
    assert [restart.id for restart in ORDERS.restarts_of("berlin-2", "berlin")] == ["a1"]
    assert ORDERS.restarts_of("berlin", "berlin") == ()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"v": 2}, "upgrade the driver"),
        ({"revision": "7"}, "revision"),
        ({"drains": {"berlin": {"since_ms": "now"}}}, "drains.berlin.since_ms"),
        ({"restarts": {"berlin": {"id": 3, "until_ms": 1}}}, "restarts.berlin.id"),
    ],
)
def test_an_error_names_the_field(change: dict[str, object], named: str) -> None:
    document = json.loads(desired_drivers_to_json(ORDERS)) | change
    with pytest.raises(DriverOrdersError, match=named):
        desired_drivers_from_json(json.dumps(document))


def test_an_older_document_with_an_older_time_is_replaced() -> None:
    newer = DesiredDrivers(revision=8, published_ms=2_000)
    restored = DesiredDrivers(revision=1, published_ms=3_000)
    assert ORDERS.is_replaced_by(newer)
    assert not restored.is_replaced_by(newer)
