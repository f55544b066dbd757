"""Translations per second and core, from 10,000 runs a partition: `python -m tests.benchmarks.groups.translations`.

Offsets are taken in random order, so that each translation searches the runs of its partition.
"""

import time
import tracemalloc
from random import Random
from typing import NamedTuple

from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.translation import LogRange
from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.offset_run import MAX_RUNS_PER_SEGMENT, OffsetRun, RunSegment
from replication.domain.offsets.positions import Position

RUNS = 10_000
PARTITIONS = 10
TRANSLATIONS = 400_000
WANTED_PER_SECOND = 200_000
_ID = bytes([1] * 16)
_RUN, _HOLE = 40, 3  # records of a run, and source offsets without a copy behind it


class Figures(NamedTuple):
    """The result of one measurement."""

    per_second: float
    exact: int
    bytes_per_run: float


def account_of(partitions: int, runs: int) -> CopyAccount:
    """An account of runs between which the source has markers, and the remote log one marker each."""
    account = CopyAccount()
    for number in range(partitions):
        made = [OffsetRun(at * (_RUN + _HOLE), at * (_RUN + 1), _RUN) for at in range(runs)]
        step = MAX_RUNS_PER_SEGMENT - 1
        for first in range(0, runs, step):  # each segment begins with the last run of the one before
            part = tuple(made[max(0, first - 1) : first + step])
            account.add_segment(b"key", RunSegment("orders", number, _ID, part))
        position = Position(next_offset=made[-1].upstream_end, topic_id=_ID, downstream_next=made[-1].downstream_end)
        account.add_position(TopicPartition("orders", number), position)
    return account


def measure(partitions: int = PARTITIONS, runs: int = RUNS, translations: int = TRANSLATIONS) -> Figures:
    """Return how many translations one core makes per second, how many of them are exact, and the memory of a run."""
    tracemalloc.start()
    account = account_of(partitions, runs)
    used_bytes, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    random = Random(7)
    places = [TopicPartition("orders", number) for number in range(partitions)]
    end = runs * (_RUN + _HOLE) - _HOLE
    asked = [(random.choice(places), random.randrange(end)) for _ in range(translations)]
    source, remote = LogRange(start=0, end=end), LogRange(start=0, end=runs * (_RUN + 1))
    begin_s = time.process_time()
    exact = 0
    for upstream, offset in asked:
        exact += account.translate(upstream, _ID, offset, source, remote).kind == "exact"
    took_s = time.process_time() - begin_s
    return Figures(translations / took_s, exact, used_bytes / (partitions * runs))


def report(figures: Figures) -> str:
    """Return the figures in one line, with the ratio to what is wanted."""
    return (
        f"translations per second and core: {figures.per_second:,.0f} "
        f"({figures.per_second / WANTED_PER_SECOND:.2f} of {WANTED_PER_SECOND:,} wanted), "
        f"{figures.exact:,} of {TRANSLATIONS:,} exact; {figures.bytes_per_run:.1f} bytes a run"
    )


if __name__ == "__main__":
    print(report(measure()))
