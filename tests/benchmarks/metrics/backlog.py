"""A backlog of raw metrics on PostgreSQL: how fast it drains, and where the CPU goes meanwhile."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from metrics.stream.aggregate import offsets_per_batch
from tests.benchmarks.metrics.cost import Cost, metered
from tests.benchmarks.metrics.load import PARTS_PER_TASK, records
from tests.benchmarks.metrics.side import Side
from tests.benchmarks.report import Result
from tests.support.eventually import eventually
from tests.support.metrics.metrics_process import START_LIMIT_S, MetricsProcess
from tests.support.servers.postgres import running_postgres

TOPIC = "srm-metrics.a.internal"
SERIES = 1_600  # two tasks in each raw partition
RAW_PARTITIONS = 4
# as a process takes them that has counted before
RECORDS_PER_BATCH = offsets_per_batch(SERIES // PARTS_PER_TASK, SERIES)
_PERIOD_MS = 5_000
_WARM_SHARE = 0.2  # the JVM compiles what is hot
_DRAIN_LIMIT_S = 1_800.0
_POLL_S = 0.5
_MOST_DRIVER_SHARE, _MOST_DRIVER_US = 5.0, 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """A backlog after its first part."""

    reports: int
    seconds: float
    cost: Cost

    @property
    def reports_per_s(self) -> float:
        return self.reports / self.seconds


def backlog(bootstrap: str, jars: Path, folder: Path, sides: Sequence[Side]) -> list[Result]:
    """Every side drains the same topic into a separate database, alternately; medians of `RUNS`."""
    written = write_backlog(bootstrap, int(os.environ.get("REPORTS", "1000000")))
    found: dict[str, list[Drained]] = {side.name: [] for side in sides}
    for run in range(int(os.environ.get("RUNS", "1"))):
        for side in sides if run % 2 else reversed(sides):
            with running_postgres() as server:
                home = folder / f"backlog-{side.name}-{run}"
                process = side.process(
                    home, jars, bootstrap=bootstrap, postgres=server.url, max_offsets=RECORDS_PER_BATCH
                )
                process.start()
                assert process.process is not None
                try:
                    found[side.name].append(drained(process, written, process.process.pid, server.pid))
                finally:
                    process.terminate(60)
            print(f"{side.name}: {found[side.name][-1]}", flush=True)
    return _results(found)


def write_backlog(bootstrap: str, reports: int) -> int:
    """Make the raw topic and write the reports of all series, up to now; the number of records."""
    client = AdminClient({"bootstrap.servers": bootstrap})
    client.create_topics([NewTopic(TOPIC, RAW_PARTITIONS, 1)])[TOPIC].result(30)
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 20})
    periods = reports // SERIES
    now_ms = time.time_ns() // 1_000_000
    written = 0
    for period in range(periods):
        to_ms = now_ms - (periods - period) * _PERIOD_MS
        for number, (task, value) in enumerate(records(SERIES, period, to_ms, _PERIOD_MS)):
            producer.produce(TOPIC, value, key=task.encode(), partition=number % RAW_PARTITIONS)
            written += 1
        producer.poll(0)
        if written % 500 < SERIES // PARTS_PER_TASK:
            assert producer.flush(60) == 0
    assert producer.flush(60) == 0
    return written


def drained(
    process: MetricsProcess, records_written: int, *roots: int, when_warm: Callable[[], None] = lambda: None
) -> Drained:
    """Wait until everything is counted; what it took after the first fifth. `when_warm` is called in between."""
    eventually(partial(_counted_at_least, process, int(records_written * _WARM_SHARE)), 4 * START_LIMIT_S, "it is warm")
    when_warm()
    with metered(*roots) as meter:
        first, before, started_s = _counted(process), meter.cost(), time.monotonic()
        while _counted(process) < records_written:
            assert time.monotonic() - started_s < _DRAIN_LIMIT_S, "the backlog does not drain"
            time.sleep(_POLL_S)
        return Drained(
            reports=(records_written - first) * PARTS_PER_TASK,
            seconds=time.monotonic() - started_s,
            cost=meter.cost().since(before),
        )


def _counted(process: MetricsProcess) -> int:
    """Records up to which the tiles hold everything."""
    return int(process.rows("SELECT COALESCE(SUM(next_offset), 0) AS n FROM ingest_offset")[0]["n"])


def _counted_at_least(process: MetricsProcess, number: int) -> bool:
    return _counted(process) >= number


def _results(found: dict[str, list[Drained]]) -> list[Result]:
    this = found["this"]
    results = [
        Result.limited(
            "backlog, Python driver's share of the CPU, PostgreSQL",
            "%",
            _median(this, _driver_share),
            _MOST_DRIVER_SHARE,
        ),
        Result.limited(
            "backlog, Python driver, PostgreSQL", "us/report", _median(this, _us_of("driver")), _MOST_DRIVER_US
        ),
        *(
            Result.alone(f"backlog, {name}, PostgreSQL", "us/report", _median(this, _us_of(part)))
            for part, name in (("workers", "Python workers"), ("jvm", "JVM"), ("database", "database"))
        ),
    ]
    rate = ("backlog, drained, PostgreSQL", "reports/s", _median(this, _rate))
    cpu = ("backlog, CPU, PostgreSQL", "us/report", _median(this, _us_of("total")))
    if other := found.get("other"):
        return [
            *results,
            Result.at_least(*rate, _median(other, _rate), 1.8),
            Result.at_most(*cpu, _median(other, _us_of("total")), 1.0),
        ]
    return [*results, Result.alone(*rate), Result.alone(*cpu)]


def _median(runs: Sequence[Drained], figure: Callable[[Drained], float]) -> float:
    return median(figure(each) for each in runs)


def _rate(each: Drained) -> float:
    return each.reports_per_s


def _driver_share(each: Drained) -> float:
    return each.cost.driver_share


def _us_of(part: str) -> Callable[[Drained], float]:
    """Microseconds of CPU per report."""
    return lambda each: getattr(each.cost, part) * 1e6 / each.reports
