"""Bounds of a place, narrowed by the content of records."""

import random
from collections.abc import Sequence

import pytest

from replication.domain.groups.judgement.record_match import narrowed_bounds

# bounds, read (newest first), unread, copies from the lower bound on: the bounds that are left
CASES: dict[str, tuple[tuple[int, int], str, str, str, tuple[int, int]]] = {
    "the next record is found": ((10, 14), "cba", "de", "bcde", (12, 12)),
    "the next record was not copied": ((10, 14), "cba", "xde", "bcde", (12, 12)),
    "nothing is unread": ((10, 13), "cba", "", "abc", (13, 13)),
    "only unread records are found": ((10, 13), "", "xde", "..de", (10, 12)),
    "only read records are found": ((10, 13), "cb", "x", "bc.", (12, 13)),
    "nothing is found": ((10, 13), "cb", "de", "...", (10, 13)),
    "equal records": ((10, 14), "aa", "aa", "aaaa", (10, 14)),
    "an unread record equals a read one": ((10, 14), "ab", "ac", "bac.", (11, 12)),
    "copied twice": ((10, 18), "cb", "de", "bcdebcde", (12, 16)),
    "the next record, not copied, equals a later one": ((10, 14), "b", "ded", "bed.", (11, 11)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_bounds_are_narrowed_by_content(case: tuple[tuple[int, int], str, str, str, tuple[int, int]]) -> None:
    bounds, read, unread, copies, expected = case
    log = {bounds[0] + at: content for at, content in enumerate(copies) if content != "."}

    assert narrowed_bounds(bounds, list(read), list(unread), log) == expected


@pytest.mark.parametrize("seed", range(300))
def test_no_unread_record_is_ever_passed(seed: int) -> None:
    """Random logs with equal records, records that are not copied, foreign offsets, and copies that come twice."""
    rng = random.Random(seed)
    letters = "ab" if seed % 3 == 0 else "abcdefghijklmnopqrstuvwxyz"
    source = [rng.choice(letters) for _ in range(rng.randrange(1, 30))]
    commit = rng.randrange(len(source) + 1)
    log: dict[int, tuple[int, str]] = {}
    end = _copy(rng, source, range(len(source)), log, 100)
    if rng.random() < 0.3:  # killed: some records come again
        end = _copy(rng, source, range(rng.randrange(len(source)), len(source)), log, end)
    unread = [offset for offset, (number, _) in log.items() if number >= commit]
    truth = min(unread, default=end)
    bounds = (truth - rng.randrange(6), min(end, truth + rng.randrange(6)))

    low, high = narrowed_bounds(
        bounds,
        source[:commit][::-1],
        source[commit:],
        {at: content for at, (_, content) in log.items() if bounds[0] <= at <= bounds[1]},
    )

    assert bounds[0] <= low <= truth
    assert low <= high <= bounds[1]


def _copy(rng: random.Random, source: Sequence[str], numbers: range, log: dict[int, tuple[int, str]], end: int) -> int:
    """Copy the records behind the end of the log; return the new end."""
    for number in numbers:
        if rng.random() < 0.15:
            continue
        end += rng.random() < 0.1  # a marker
        log[end] = (number, source[number])
        end += 1
    return end
