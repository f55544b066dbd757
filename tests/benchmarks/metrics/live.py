"""The metrics process beside a broker: how fresh tiles are, and what it costs in memory and CPU."""

import os
import statistics
import time
from functools import partial
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tests.benchmarks.metrics.load import records
from tests.benchmarks.report import Result
from tests.support.eventually import eventually
from tests.support.metrics.metrics_process import START_LIMIT_S, MetricsProcess

PARTITIONS = 1_000
PERIOD_S = 5.0
_MINUTE_S = 60.0
_TOPIC = "srm-metrics.a.internal"


def live(bootstrap: str, jars: Path, folder: Path) -> list[Result]:
    """One process per trigger, over the same raw topic."""
    client = AdminClient({"bootstrap.servers": bootstrap})  # one that is dropped takes its pending answers with it
    client.create_topics([NewTopic(_TOPIC, 4, 1)])[_TOPIC].result(30)
    writer = _Writer(bootstrap)
    results: list[Result] = []
    for trigger_ms in (1_000, 5_000):
        process = MetricsProcess(folder / f"trigger-{trigger_ms}", jars, trigger_ms=trigger_ms)
        process.create_store()
        process.write_targets(b=bootstrap)
        process.start()
        try:
            writer.write()
            eventually(partial(_has_reached, process, writer), START_LIMIT_S, "the first tile")
            results += _measured(process, writer, trigger_ms)
        finally:
            process.terminate(30)
    return results


def _measured(process: MetricsProcess, writer: "_Writer", trigger_ms: int) -> list[Result]:
    trigger = f"{trigger_ms // 1_000} s trigger"
    budget_s = trigger_ms / 1_000 + 3
    for _ in range(3):  # the JVM compiles what is hot
        _write_and_wait(process, writer)
    cpu_s, started_s = _cpu_s(process), time.monotonic()
    ages_s = sorted(_write_and_wait(process, writer) for _ in range(int(_MINUTE_S / PERIOD_S)))
    busy = (_cpu_s(process) - cpu_s) / (time.monotonic() - started_s)
    rss_bytes = _rss_bytes(process)
    cpu_s, started_s = _cpu_s(process), time.monotonic()
    time.sleep(_MINUTE_S / 2)  # nothing is written
    idle = (_cpu_s(process) - cpu_s) / (time.monotonic() - started_s)
    p95 = ages_s[int(0.95 * (len(ages_s) - 1))]
    return [
        Result.alone(f"event to visible tile, p50, {trigger}", "s", statistics.median(ages_s)),
        _at_most(f"event to visible tile, p95, {trigger}", "s", p95, budget_s),
        _at_most(f"CPU with {PARTITIONS:,} active partitions, {trigger}", "cores", busy, 0.30),
        _at_most(f"CPU without new metrics, {trigger}", "cores", idle, 0.05),
        _at_most(f"resident memory, {trigger}", "GB", rss_bytes / 1e9, 1.2),
    ]


def _write_and_wait(process: MetricsProcess, writer: "_Writer") -> float:
    """Seconds from the writing of a period to its tile; the rest of the period is waited for."""
    started_s = time.monotonic()
    writer.write()
    eventually(partial(_has_reached, process, writer), 120, "the period is in a tile")
    age_s = time.monotonic() - started_s
    time.sleep(max(0.0, PERIOD_S - age_s))
    return age_s


def _has_reached(process: MetricsProcess, writer: "_Writer") -> bool:
    return _newest_ms(process) == writer.to_ms


def _newest_ms(process: MetricsProcess) -> int:
    found = process.rows(
        "SELECT MAX(n.last_ms) AS at FROM partition_now n JOIN series s ON s.id = n.series_id WHERE s.topic = ''"
    )
    return int(found[0]["at"] or 0)


class _Writer:
    def __init__(self, bootstrap: str) -> None:
        self._producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})
        self._period = 0
        self.to_ms = 0

    def write(self) -> None:
        self.to_ms = time.time_ns() // 1_000_000
        for number, (task, value) in enumerate(records(PARTITIONS, self._period, self.to_ms, 5_000)):
            self._producer.produce(_TOPIC, value, key=task.encode(), partition=number % 4)
        self._period += 1
        assert self._producer.flush(30) == 0


def _folders(process: MetricsProcess) -> list[Path]:
    """Of the Python process and of its JVM, below /proc."""
    assert process.process is not None
    return [Path("/proc", str(pid)) for pid in (process.process.pid, process.jvm_pid())]


def _cpu_s(process: MetricsProcess) -> float:
    """User and system time of both."""
    fields = [(folder / "stat").read_text().rpartition(")")[2].split() for folder in _folders(process)]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def _rss_bytes(process: MetricsProcess) -> int:
    pages = [int((folder / "statm").read_text().split()[1]) for folder in _folders(process)]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


def _at_most(name: str, unit: str, ours: float, budget: float) -> Result:
    return Result(name=name, unit=unit, ours=ours, budget=f"<= {budget:g}", passed=ours <= budget)
