"""Start positions as people write them."""

import pytest

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.start_position import parse_start, parse_start_offsets


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("earliest", "earliest"),
        (" latest ", "latest"),
        ("1700000000000", 1_700_000_000_000),
        ("2026-01-31T00:00:00Z", 1_769_817_600_000),
        ("2026-01-31T02:00:00+02:00", 1_769_817_600_000),
        ("2026-01-31", 1_769_817_600_000),
        ("1970-01-01", 0),
    ],
)
def test_a_start_is_a_word_or_a_moment(text: str, start: str | int) -> None:
    assert parse_start(text) == start


@pytest.mark.parametrize("text", ["", "first", "2026-13-01", "-5", "1960-01-01"])
def test_what_is_no_start_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"neither a time nor an end|1970"):
        parse_start(text)


def test_offsets_are_given_per_partition() -> None:
    assert parse_start_offsets("a.b:0=5, orders:12=0,") == (
        (TopicPartition("a.b", 0), 5),
        (TopicPartition("orders", 12), 0),
    )


@pytest.mark.parametrize("text", ["a=1", "a:0", "a:x=1", "a:0=-1", "a b:0=1", "a:0=1,a:0=2"])
def test_an_offset_that_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"topic:partition=offset|start offsets"):
        parse_start_offsets(text)
