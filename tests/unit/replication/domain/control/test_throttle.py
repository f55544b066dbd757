"""The throttle: rates as people write them, windows of the day, and a bucket that keeps the rate."""

import pytest

from replication.domain.control.orders import TopicThrottle
from replication.domain.control.throttle import (
    LEAST_BURST_BYTES,
    OrderedLimit,
    Throttle,
    ThrottleWindow,
    TokenBucket,
    parse_rate,
    parse_schedule,
    rate_text,
)

HOUR_MS = 3_600_000


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("10MB", 10_000_000),
        ("512 KiB", 512 * 1024),
        ("1.5mb/s", 1_500_000),
        ("1000", 1000),
        ("2GB", 2_000_000_000),
        ("unlimited", None),
    ],
)
def test_rates_are_read_as_written(text: str, rate: int | None) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (1, "1 B/s"),
        (999, "999 B/s"),
        (1_000, "1 kB/s"),
        (1_500, "1.5 kB/s"),
        (99_960, "100 kB/s"),
        (999_499, "999 kB/s"),
        (999_999, "1 MB/s"),
        (2_500_000, "2.5 MB/s"),
        (10**15, "1,000,000 GB/s"),
    ],
)
def test_rates_are_shown_with_three_digits_at_most(rate: int, text: str) -> None:
    assert rate_text(rate) == text


@pytest.mark.parametrize("text", ["", "fast", "10 XB", "0", "-5", "0.1b"])
def test_what_is_no_rate_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="10MB"):
        parse_rate(text)


@pytest.mark.parametrize(
    "text", ["8-18=10MB", "08:00-18:00", "08:61-09:00=1MB", "08:00-25:00=1MB", "08:00-08:00=1MB", "08:00-09:00=slow"]
)
def test_a_window_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_schedule(text)


@pytest.mark.parametrize(
    ("hour", "share"),
    [(7, 50), (8, 5), (17, 5), (18, 50), (22, None), (3, None), (6, 50)],
    ids=["before", "begins", "inside", "ends", "night begins", "after midnight", "night is over"],
)
def test_the_window_of_the_hour_wins_and_slots_share_it(hour: int, share: int | None) -> None:
    windows = parse_schedule("08:00-18:00=10, 22:00-06:00=unlimited")

    assert Throttle(bytes_per_second=100, windows=windows, slots=2).share_at(hour * HOUR_MS) == share


def test_an_ordered_limit_ends_at_its_time_and_yields_to_the_window_of_the_hour() -> None:
    ordered = OrderedLimit(bytes_per_second=10, until_ms=9 * HOUR_MS)
    throttle = Throttle(bytes_per_second=100, ordered=ordered, windows=parse_schedule("08:30-08:45=5"))

    assert throttle.share_at(8 * HOUR_MS) == 10
    assert throttle.share_at(8 * HOUR_MS + HOUR_MS // 2) == 5
    assert throttle.share_at(9 * HOUR_MS) == 100


def test_midnight_may_be_the_end_of_a_window() -> None:
    assert parse_schedule("20:00-24:00=1MB") == (
        ThrottleWindow(from_minute=1200, to_minute=0, bytes_per_second=1_000_000),
    )
    assert Throttle(windows=parse_schedule("20:00-24:00=1MB")).share_at(23 * HOUR_MS) == 1_000_000
    assert Throttle(windows=parse_schedule("20:00-24:00=1MB")).share_at(0) is None


def read_for(bucket: TokenBucket, seconds: int, chunk: int) -> int:
    """Bytes read in steps of 10 ms by somebody who always wants more."""
    total = 0
    for step in range(seconds * 100):
        now_s = 1_000 + step / 100
        if bucket.wait_s(now_s) == 0:
            bucket.consume(chunk, now_s)
            total += chunk
    return total


@pytest.mark.parametrize("chunk", [20_000, 100_000, 3_000_000])
def test_the_rate_holds_over_time_for_any_batch_size(chunk: int) -> None:
    bucket = TokenBucket()
    bucket.set_rate(1_000_000, 1_000)

    assert read_for(bucket, 60, chunk) == pytest.approx(60_000_000, rel=0.1)


def test_a_lifted_limit_forgives_the_debt() -> None:
    bucket = TokenBucket()
    bucket.set_rate(1_000, 0)
    bucket.consume(1_000_000, 0)
    assert bucket.wait_s(1) > 900

    bucket.set_rate(None, 1)

    assert bucket.wait_s(1) == 0


def test_no_limit_asks_for_as_much_as_there_may_be_and_a_low_one_for_little() -> None:
    bucket = TokenBucket()
    assert bucket.most_bytes(8_000_000) == 8_000_000

    bucket.set_rate(200_000, 0)

    assert bucket.most_bytes(8_000_000) == 100_000
    assert bucket.most_bytes(8_000_000, shared_by=4) == 25_000
    assert bucket.most_bytes(8_000_000, shared_by=1_000) == LEAST_BURST_BYTES


def test_less_than_a_byte_is_no_debt() -> None:
    """A wait too short for a clock to notice would never end."""
    bucket = TokenBucket()
    bucket.set_rate(1_000_000, 0)
    bucket.consume(1_000_000, 0)

    assert bucket.wait_s(0.5) == 0.5
    assert bucket.wait_s(1 - 5e-7) == 0


@pytest.mark.parametrize(
    ("partition", "held", "share"),
    [(None, 1, 250), (None, 3, 750), (None, 4, 1_000), (2, 1, 1_000)],
    ids=["one of four", "three of four", "all", "a partition is in one task"],
)
def test_tasks_share_the_throttle_of_a_topic_by_their_partitions(partition: int | None, held: int, share: int) -> None:
    throttle = TopicThrottle(topic="orders", partition=partition, bytes_per_second=1_000)

    assert throttle.share(held, 4).bytes_per_second == share
    assert TopicThrottle(topic="orders", bytes_per_second=2).share(1, 4).bytes_per_second == 1, "it is never stopped"
