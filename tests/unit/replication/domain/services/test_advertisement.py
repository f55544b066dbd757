"""The address and the age of an advertisement."""

from dataclasses import replace

import pytest

from replication.domain.services.advertisement import Advertisement, SeenAdvertisement

HOUR_MS = 3_600_000
ADVERTISEMENT = Advertisement(
    id="eu",
    protocol="https",
    host="srm.example",
    port=6671,
    root_path="/srm/",
    targets=("eu",),
    version="1.0",
    started_ms=1,
    sent_ms=10_000,
    interval_ms=100,
)


def test_the_address_is_a_url_without_a_final_slash() -> None:
    assert ADVERTISEMENT.address == "https://srm.example:6671/srm"
    assert replace(ADVERTISEMENT, host="::1", root_path="").address == "https://[::1]:6671"


@pytest.mark.parametrize(
    ("age_ms", "state"), [(0, "live"), (300, "live"), (301, "stale"), (2000, "stale"), (2001, "gone"), (-50, "live")]
)
def test_the_state_follows_the_age_in_intervals(age_ms: int, state: str) -> None:
    seen = SeenAdvertisement(advertisement=ADVERTISEMENT, stored_ms=10_000)

    assert seen.state(10_000 + age_ms) == state
    assert seen.age_ms(10_000 + age_ms) == max(0, age_ms)


def test_a_clock_that_is_an_hour_ahead_keeps_no_silent_service_alive() -> None:
    ahead = replace(ADVERTISEMENT, sent_ms=10_000 + HOUR_MS)
    seen = SeenAdvertisement(advertisement=ahead, stored_ms=10_000)

    assert seen.clock_difference_ms == HOUR_MS
    assert [seen.state(10_000), seen.state(12_001)] == ["live", "gone"]
