"""The interval of transactions has a default, two names and bounds."""

import pytest

from replication.domain.settings.transaction_interval import transaction_interval_ms


@pytest.mark.parametrize(
    ("settings", "expected_ms"),
    [
        ({}, 200),
        ({"transaction.boundary.interval.ms": "500"}, 500),
        ({"srm.transaction.interval.ms": "100", "transaction.boundary.interval.ms": "500"}, 100),
    ],
)
def test_the_interval_is(settings: dict[str, str], expected_ms: int) -> None:
    assert transaction_interval_ms(settings) == expected_ms


@pytest.mark.parametrize("text", ["0", "-5", "often", "45000", ""])
def test_what_is_no_sensible_interval_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"srm\.transaction\.interval\.ms"):
        transaction_interval_ms({"srm.transaction.interval.ms": text})
