"""The conditions under which a slot waits before the next fetch."""

import pytest

from replication.domain.fetch.linger import ADAPTIVE_MS, Linger

SMALL, LARGE = 500, 1_000_000


def after(
    linger: Linger,
    *,
    every_s: float,
    batches: int = 1,
    size: int = SMALL,
    from_s: float = 0.0,
    fixed_ms: float | None = None,
) -> float:
    """The wait after two seconds of even answers."""
    for number in range(1, int(2.0 / every_s) + 1):
        linger.answered(batches, size, from_s + number * every_s)
    return linger.wait_s(fixed_ms)


@pytest.mark.parametrize(
    ("every_s", "batches", "size", "waits"),
    [
        pytest.param(0.0005, 1, SMALL, True, id="2,000 a second, one by one"),
        pytest.param(0.001, 1, SMALL, False, id="1,000 a second: latency counts more"),
        pytest.param(0.002, 8, SMALL, True, id="4,000 a second, eight an answer"),
        pytest.param(0.0005, 1, LARGE, False, id="often but full"),
        pytest.param(0.1, 1, SMALL, False, id="seldom"),
    ],
)
def test_it_waits_only_where_many_tiny_batches_come(every_s: float, batches: int, size: int, waits: bool) -> None:
    waited_s = after(Linger(), every_s=every_s, batches=batches, size=size)

    assert waited_s == (ADAPTIVE_MS / 1000 if waits else 0.0)


def test_the_wait_does_not_end_itself_by_making_answers_rarer() -> None:
    linger = Linger()
    after(linger, every_s=0.0005)

    assert after(linger, every_s=0.0016, batches=3, from_s=2.0) > 0  # the same batches, fewer answers
    assert after(linger, every_s=0.002, from_s=4.0) == 0


def test_after_a_pause_the_first_record_waits_for_nothing() -> None:
    linger = Linger()
    after(linger, every_s=0.0005)

    linger.answered(0, 0, 2.5)

    assert linger.wait_s(None) == 0


@pytest.mark.parametrize(("fixed_ms", "expected_s"), [(0.0, 0.0), (5.0, 0.005)])
def test_a_fixed_linger_holds_at_any_pace_but_not_for_full_answers(fixed_ms: float, expected_s: float) -> None:
    linger = Linger()

    assert after(linger, every_s=0.5, fixed_ms=fixed_ms) == expected_s
    assert after(linger, every_s=0.5, size=LARGE, from_s=2.0, fixed_ms=fixed_ms) == 0
