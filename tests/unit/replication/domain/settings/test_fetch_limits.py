"""Limits that somebody sets on fetches."""

import pytest

from replication.domain.settings.fetch_limits import LEAST_BYTES, FetchLimits


def test_without_a_limit_the_engine_chooses() -> None:
    limits = FetchLimits.of({})

    assert (limits.bytes_of(5_000), limits.partition_bytes_of(6_000), limits.wait_ms_of(500)) == (5_000, 6_000, 500)


def test_a_limit_is_never_exceeded_and_never_makes_fetches_useless() -> None:
    limits = FetchLimits.of(
        {
            "consumer.fetch.max.bytes": "4000",
            "consumer.max.partition.fetch.bytes": "1",
            "consumer.fetch.max.wait.ms": "50",
        }
    )

    assert (limits.bytes_of(5_000), limits.bytes_of(2_000)) == (4_000, 2_000)
    assert limits.partition_bytes_of(6_000) == LEAST_BYTES
    assert limits.wait_ms_of(500) == 50


def test_a_value_that_is_no_number_names_its_key() -> None:
    with pytest.raises(ValueError, match=r"consumer\.fetch\.max\.bytes"):
        FetchLimits.of({"consumer.fetch.max.bytes": "5 MB"})
