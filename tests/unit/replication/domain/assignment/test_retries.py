"""Retries: without limits by default, and counted where a limit is set."""

import pytest

from replication.domain.assignment.retries import RetryPolicy

KEY = "srm.driver.retry.count"


def test_by_default_pauses_grow_and_retries_never_end() -> None:
    policy = RetryPolicy.of({})

    assert [policy.delay_ms_after(count) for count in (1, 2, 3, 1_000)] == [1_000, 2_000, 4_000, 30_000]


@pytest.mark.parametrize(("count", "allowed"), [("0", 1), ("1", 1), ("3", 3)])
def test_so_many_retries_are_made_after_the_pause_that_is_set(count: str, allowed: int) -> None:
    policy = RetryPolicy.of({KEY: count, "srm.driver.retry.delay.ms": "250"})

    assert [policy.delay_ms_after(number) for number in range(1, allowed + 2)] == [250] * allowed + [None]


def test_the_cause_of_a_task_that_used_them_up_names_their_number_and_the_setting() -> None:
    text = RetryPolicy(count=3).used_up("the disk is full.")

    assert text.startswith("the disk is full (retried 3 times")
    assert KEY in text


def test_an_invalid_value_takes_the_default() -> None:
    assert RetryPolicy.of({KEY: "often"}) == RetryPolicy()
