"""The conditions under which merging of small batches starts and ends."""

import pytest

from replication.domain.batches.rebatching import CALM_ANSWERS, Rebatching, small_bytes

KIB = 1024


def observe(state: Rebatching, times: int = 1, /, **answer: float) -> bool:
    """An answer of batches all alike; `size` and `each` are of one batch."""
    batches = int(answer.get("batches", 1))
    for _ in range(times):
        is_on = state.observe(
            batches=batches,
            records=int(answer["each"]) * batches,
            size_bytes=int(answer["size"]) * batches,
            waiting=int(answer.get("waiting", 0)),
            round_trip_ms=answer.get("round_trip_ms", 1.0),
        )
    return is_on


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param({"each": 1, "size": 170}, True, id="one record a batch"),
        pytest.param({"each": 10, "size": 1_200}, True, id="ten records a batch"),
        pytest.param({"each": 10, "size": 100 * KIB}, False, id="few but large records"),
        pytest.param({"each": 100, "size": 10 * KIB}, False, id="small batches without backlog"),
        pytest.param({"each": 100, "size": 10 * KIB, "waiting": 9}, True, id="small batches that pile up"),
        pytest.param({"each": 100, "size": 10 * KIB, "batches": 10}, True, id="small batches that come in heaps"),
        pytest.param({"each": 100, "size": 98 * KIB, "waiting": 40}, False, id="large batches that pile up"),
        pytest.param(
            {"each": 100, "size": 98 * KIB, "waiting": 40, "round_trip_ms": 200}, True, id="piled up before a long way"
        ),
        pytest.param({"each": 100, "size": 98 * KIB, "round_trip_ms": 200}, False, id="a long way without backlog"),
        pytest.param(
            {"each": 900, "size": 900 * KIB, "waiting": 40, "round_trip_ms": 200}, False, id="nothing left to gain"
        ),
    ],
)
def test_merging_follows_size_backlog_and_distance(answer: dict[str, float], expected: bool) -> None:
    assert observe(Rebatching("adaptive"), 1, **answer) is expected


def test_it_does_not_flap_between_two_sizes() -> None:
    state = Rebatching("adaptive")
    observe(state, each=16, size=2_000)

    assert observe(state, 20, each=24, size=3_000)  # a bit larger: still merged
    assert not observe(state, 50, each=100, size=12_000)
    assert not observe(state, 20, each=24, size=3_000)  # the same size from the other side: still passed on


def test_merging_for_the_backlog_ends_only_after_a_calm_time() -> None:
    state = Rebatching("adaptive")
    observe(state, each=100, size=10 * KIB, waiting=50)

    assert observe(state, CALM_ANSWERS - 1, each=100, size=10 * KIB)
    assert not observe(state, each=100, size=10 * KIB)


def test_an_answer_without_data_changes_nothing() -> None:
    state = Rebatching("adaptive")
    observe(state, each=1, size=170)

    assert state.observe(batches=0, records=0, size_bytes=0, waiting=0, round_trip_ms=1.0)
    assert state.mean_records == 1


@pytest.mark.parametrize(("mode", "expected"), [("always", True), ("off", False)])
def test_a_person_may_decide_it_for_good(mode: str, expected: bool) -> None:
    state = Rebatching(mode)  # type: ignore[arg-type] # the table holds both literals

    assert observe(state, each=1, size=170, waiting=50) is expected
    assert observe(state, 50, each=1_000, size=900_000) is expected


def test_what_small_means_grows_with_the_distance_up_to_a_limit() -> None:
    assert small_bytes(0) == small_bytes(20) == 16 * KIB
    assert small_bytes(100) == 80 * KIB
    assert small_bytes(5_000) == 256 * KIB
