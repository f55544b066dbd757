"""Added replication latency: when a consumer of the target sees a record minus when one of the source does."""

import statistics
import time
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.report import Result
from tests.benchmarks.sides import Pair, Side, cpu_seconds, running
from tests.benchmarks.watching import Watcher, writing
from tests.support.kafka.kafka_records import create_topic, end_offsets

RECORDS_PER_SECOND = 1_000
PARTITIONS = 4
WARM_UP_S = 8.0
MEASURED_S = 15.0
FIRST_RECORD_S = 90.0


class Added(NamedTuple):
    """One run of one side. `cores` is the share of a core that the copying process used."""

    p50_ms: float
    p99_ms: float
    cores: float


def added_latency(side: Side, run: int, source: str, target: str, folder: Path) -> Added:
    """The latencies that a side adds in one run; every run has its own topics."""
    pair = Pair(source=source, target=target, alias=f"latency{side.name}{run}".replace("-", ""))
    topic = f"bench-latency-{side.name}-{run}"
    remote = f"{pair.alias}.{topic}"
    create_topic(source, topic, PARTITIONS)
    command = side.command(pair, topic, PARTITIONS, folder)
    with (
        running(command, folder / f"latency-{side.name}.log") as process,
        writing(source, topic, PARTITIONS, RECORDS_PER_SECOND),
    ):
        _wait_for_first(target, remote)
        at_source, at_target = Watcher(source, topic, PARTITIONS), Watcher(target, remote, PARTITIONS)
        time.sleep(WARM_UP_S)
        started, cpu = time.monotonic(), cpu_seconds(process.pid)
        time.sleep(MEASURED_S)
        used = (cpu_seconds(process.pid) - cpu) / (time.monotonic() - started)
        time.sleep(1)
        left, arrived = at_source.seen(), at_target.seen()
    ended = started + MEASURED_S
    added = sorted(
        (arrived[key] - when) * 1000 for key, when in left.items() if started <= when <= ended and key in arrived
    )
    if len(added) < RECORDS_PER_SECOND * MEASURED_S / 2:
        raise RuntimeError(f"{side.name}: only {len(added)} records seen on both sides")
    return Added(statistics.median(added), added[int(len(added) * 0.99)], used)


def compare_latency(ours: Side, theirs: Side, runs: int, source: str, target: str, folder: Path) -> list[Result]:
    """MM2 with its default producer: its best settings for throughput wait 20 ms for a batch.

    The first run only warms the brokers; then the sides take turns.
    """
    measured: dict[str, list[Added]] = {ours.name: [], theirs.name: []}
    warm_up = added_latency(ours, 0, source, target, folder)
    print(f"latency: {ours.name} warms the brokers: {warm_up}", flush=True)
    for run in range(1, runs + 1):
        for side in (ours, theirs):
            measured[side.name].append(added_latency(side, run, source, target, folder))
            print(f"latency: {side.name} run {run} of {runs}: {measured[side.name][-1]}", flush=True)
    (p50, p99, cores), (their_p50, their_p99, their_cores) = (
        map(statistics.median, zip(*each, strict=True)) for each in measured.values()
    )
    name = f"added latency at {RECORDS_PER_SECOND:,} records/s"
    return [
        Result.at_most(f"{name}: p50", "ms", p50, their_p50, 1 / 4),
        Result.at_most(f"{name}: p99", "ms", p99, their_p99, 1 / 4),
        Result.told(f"{name}: CPU", "cores", cores, their_cores),
    ]


def _wait_for_first(bootstrap: str, topic: str) -> None:
    deadline = time.monotonic() + FIRST_RECORD_S
    while time.monotonic() < deadline:
        try:
            if sum(end_offsets(bootstrap, topic, PARTITIONS)) > 0:
                return
        except Exception:
            time.sleep(0.2)
        time.sleep(0.2)
    raise TimeoutError(f"nothing arrives in {topic}")
