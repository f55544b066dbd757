"""A second process joins, and one of the two is killed: how long it takes, and how many partitions pause."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from srm_cli.dev_clusters.registry import LocalCluster
from tests.benchmarks.fleet.two_drivers import TASKS, TwoProcesses, mirror_two, our_two
from tests.benchmarks.report import Result
from tests.benchmarks.sides import Pair, copied
from tests.support.engine.partition_pauses import PartitionPauses
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import create_topic, end_offsets
from tests.support.kafka.writer import Traffic

PARTITIONS = 8
RATE = 400  # records per second, 50 for each partition
PAUSED_S = 1.0  # a partition that does not advance for longer has paused
START_S, JOIN_S = 120.0, 120.0
KILL_MOST_S = 330.0  # the default delay of MirrorMaker is 300 s
SETTLE_S = 10.0
MOVED_RECORDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    join_s: float
    join_paused: int
    kill_s: float
    kill_paused: int


class _Opening(Protocol):
    """Opens one of the two programs on a topic, in a separate folder."""

    def __call__(self, pair: Pair, topic: str, folder: Path) -> AbstractContextManager[TwoProcesses]: ...


def compare_fail_over(
    source: LocalCluster, target: LocalCluster, jars: Path, folder: Path, *, is_default: bool
) -> Iterator[Result]:
    """`is_default` leaves MirrorMaker its rebalance delay of five minutes; else it has none."""
    ours = _measured("ours", lambda pair, topic, place: our_two(pair, topic, place), source, target, folder)
    delay_ms = None if is_default else 0
    theirs = _measured(
        "mm2", lambda pair, topic, place: mirror_two(pair, topic, place, jars, delay_ms), source, target, folder
    )
    said = "default rebalance delay" if is_default else "scheduled.rebalance.max.delay.ms=0"
    name = f"two processes, MM2 with {said}"
    yield Result.told(f"{name}: kill -9 of one, until all partitions flow again", "s", ours.kill_s, theirs.kill_s)
    yield Result.told(f"{name}: partitions of {PARTITIONS} that paused", "", ours.kill_paused, theirs.kill_paused)
    yield Result.told(f"{name}: start of the second one, until both run as many tasks", "s", ours.join_s, theirs.join_s)
    yield Result.told(
        f"{name}: partitions of {PARTITIONS} that paused when it joined", "", ours.join_paused, theirs.join_paused
    )


def _measured(name: str, open_two: _Opening, source: LocalCluster, target: LocalCluster, folder: Path) -> Measured:
    alias, topic = f"{name}{time.time_ns() // 1_000_000}", f"fail-over-{name}"
    pair = Pair(source=source.bootstrap, target=target.bootstrap, alias=alias)
    create_topic(pair.source, topic, PARTITIONS)
    traffic = Traffic(pair.source, topic, PARTITIONS, RATE)
    with traffic.flowing(), open_two(pair, topic, folder / alias) as processes:
        processes.start("one")
        eventually(lambda: copied(pair, topic, PARTITIONS) >= traffic.written > 0, START_S, f"{name} copies")
        eventually(lambda: processes.tasks_of("one") == TASKS, START_S, f"{name}: all tasks run on one process")
        time.sleep(SETTLE_S)
        remote = f"{alias}.{topic}"
        join_s, join_paused = _join(processes, pair.target, remote)
        kill_s, kill_paused = _kill(processes, pair.target, remote)
    found = Measured(join_s=join_s, join_paused=join_paused, kill_s=kill_s, kill_paused=kill_paused)
    print(f"fail-over: {name} {found}", flush=True)
    return found


def _join(processes: TwoProcesses, target: str, remote: str) -> tuple[float, int]:
    with PartitionPauses(target, remote, PARTITIONS).watched() as pauses:
        began_s = time.monotonic()
        processes.start("two")
        half = TASKS // 2
        eventually(lambda: [processes.tasks_of(each) for each in ("one", "two")] == [half, half], JOIN_S, "level")
        _wait_flowing(target, remote, JOIN_S)
        took_s = time.monotonic() - began_s
        time.sleep(SETTLE_S)
        return took_s, _paused(pauses)


def _kill(processes: TwoProcesses, target: str, remote: str) -> tuple[float, int]:
    """Kill the process that came last; the time is a bound if partitions do not flow within it."""
    with PartitionPauses(target, remote, PARTITIONS).watched() as pauses:
        began_s = time.monotonic()
        processes.kill("two")
        _wait_flowing(target, remote, KILL_MOST_S)
        return time.monotonic() - began_s, _paused(pauses)


def _wait_flowing(target: str, remote: str, most_s: float) -> None:
    """Wait until each partition has advanced; returns at the end of the time in any case."""
    before, ends_s = end_offsets(target, remote, PARTITIONS), time.monotonic() + most_s
    while time.monotonic() < ends_s:
        now = end_offsets(target, remote, PARTITIONS)
        if all(end >= then + MOVED_RECORDS for end, then in zip(now, before, strict=True)):
            return
        time.sleep(0.1)


def _paused(pauses: PartitionPauses) -> int:
    return sum(longest_s > PAUSED_S for longest_s in pauses.longest_s())
