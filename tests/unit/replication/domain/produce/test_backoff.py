"""The pauses before batches are sent again."""

import pytest

from replication.domain.produce.backoff import exclusion_s, resend_backoff_s


@pytest.mark.parametrize(
    ("attempts", "longest_ms", "expected_s"),
    [(1, 60_000, 0.1), (2, 60_000, 0.2), (6, 60_000, 3.2), (7, 60_000, 5.0), (1_000, 60_000, 5.0), (7, 300, 0.3)],
)
def test_the_pause_doubles_up_to_five_seconds_or_the_flows_limit(
    attempts: int, longest_ms: int, expected_s: float
) -> None:
    assert resend_backoff_s(attempts, longest_ms) == pytest.approx(expected_s)


def test_an_exclusion_doubles_up_to_a_minute() -> None:
    assert [exclusion_s(count) for count in range(6)] == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]
