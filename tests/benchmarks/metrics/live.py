"""Small batches, as a fleet at work has them: from a report to a visible tile, and what they cost in CPU and memory.

With another checkout both processes read the same raw topic at the same time, and so on the same machine.
"""

import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tests.benchmarks.metrics.cost import Cost, CostMeter, metered, resident_bytes
from tests.benchmarks.metrics.load import records
from tests.benchmarks.metrics.side import Side
from tests.benchmarks.report import Result
from tests.support.metrics.metrics_process import START_LIMIT_S, MetricsProcess

PARTITIONS = 1_000
PERIOD_S = 5.0
_MINUTE_S = 60.0
_WARM_PERIODS = 6  # the JVM compiles what is hot
_POLL_S = 0.1
_TOPIC = "srm-metrics.a.internal"


@dataclass(slots=True)
class _Counting:
    """A process at work, and what was seen of it."""

    process: MetricsProcess
    meter: CostMeter
    ages_s: list[float] = field(default_factory=list)
    busy: Cost = field(default_factory=Cost)
    idle: Cost = field(default_factory=Cost)
    resident: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class _Lasted:
    busy_s: float = 0.0
    idle_s: float = 0.0


def live(bootstrap: str, jars: Path, folder: Path, sides: Sequence[Side]) -> list[Result]:
    """One process per side and trigger, over the same raw topic."""
    client = AdminClient({"bootstrap.servers": bootstrap})  # one that is dropped takes its pending answers with it
    client.create_topics([NewTopic(_TOPIC, 4, 1)])[_TOPIC].result(30)
    writer = _Writer(bootstrap)
    results: list[Result] = []
    for trigger_ms in (1_000, 5_000):
        with ExitStack() as stack:
            counting = {
                side.name: _started(stack, side, folder / f"{side.name}-{trigger_ms}", jars, bootstrap, trigger_ms)
                for side in sides
            }
            lasted = _measure(list(counting.values()), writer)
        results += _results(counting, lasted, trigger_ms)
    return results


def _started(stack: ExitStack, side: Side, home: Path, jars: Path, bootstrap: str, trigger_ms: int) -> _Counting:
    process = side.process(home, jars, bootstrap=bootstrap, trigger_ms=trigger_ms)
    process.start()
    stack.callback(process.terminate, 30)
    assert process.process is not None
    return _Counting(process, stack.enter_context(metered(process.process.pid)))


def _measure(counting: Sequence[_Counting], writer: "_Writer") -> _Lasted:
    _write_and_wait(counting, writer, START_LIMIT_S)
    for _ in range(_WARM_PERIODS):
        _write_and_wait(counting, writer)
    lasted = _Lasted()
    before, started_s = [each.meter.cost() for each in counting], time.monotonic()
    for _ in range(int(_MINUTE_S / PERIOD_S)):
        for each, age_s in zip(counting, _write_and_wait(counting, writer), strict=True):
            each.ages_s.append(age_s)
    lasted.busy_s = time.monotonic() - started_s
    for each, earlier in zip(counting, before, strict=True):
        each.busy = each.meter.cost().since(earlier)
        assert each.process.process is not None
        each.resident = resident_bytes(each.process.process.pid)
    before, started_s = [each.meter.cost() for each in counting], time.monotonic()
    time.sleep(_MINUTE_S / 2)  # nothing is written
    lasted.idle_s = time.monotonic() - started_s
    for each, earlier in zip(counting, before, strict=True):
        each.idle = each.meter.cost().since(earlier)
    return lasted


def _results(counting: Mapping[str, _Counting], lasted: _Lasted, trigger_ms: int) -> list[Result]:
    trigger = f"{trigger_ms // 1_000} s trigger"
    this = counting["this"]
    ages_s = sorted(this.ages_s)
    p95_s = ages_s[int(0.95 * (len(ages_s) - 1))]
    found = [
        Result.alone(f"event to visible tile, p50, {trigger}", "s", statistics.median(ages_s)),
        Result.limited(f"event to visible tile, p95, {trigger}", "s", p95_s, trigger_ms / 1_000 + 3),
        Result.limited(
            f"CPU with {PARTITIONS:,} active partitions, {trigger}", "cores", this.busy.total / lasted.busy_s, 0.30
        ),
        Result.limited(f"Python driver's share of that CPU, {trigger}", "%", this.busy.driver_share, 12.0),
        Result.limited(f"CPU without new metrics, {trigger}", "cores", this.idle.total / lasted.idle_s, 0.05),
        Result.limited(f"resident memory, {trigger}", "GB", sum(this.resident.values()) / 1e9, 1.4),
        *(
            Result.alone(f"resident memory of {part}, {trigger}", "GB", size / 1e9)
            for part, size in this.resident.items()
        ),
    ]
    if "other" in counting:
        other = counting["other"]
        found += [
            Result.at_most(f"CPU of small batches, {trigger}", "CPU-s", this.busy.total, other.busy.total, 1.4),
            Result.told(f"CPU of an idle process, {trigger}", "CPU-s", this.idle.total, other.idle.total),
        ]
    for name, each in counting.items():
        print(f"{trigger}, {name}: busy {each.busy}, idle {each.idle}, resident {dict(each.resident)}", flush=True)
    return found


def _write_and_wait(counting: Sequence[_Counting], writer: "_Writer", limit_s: float = 120.0) -> list[float]:
    """Seconds from the writing of a period to its tile, by process; the rest of the period is waited for."""
    started_s = time.monotonic()
    writer.write()
    ages_s: dict[int, float] = {}
    while len(ages_s) < len(counting):
        for number, each in enumerate(counting):
            if number not in ages_s and _newest_ms(each.process) == writer.to_ms:
                ages_s[number] = time.monotonic() - started_s
        assert time.monotonic() - started_s < limit_s, "the period is in no tile"
        time.sleep(_POLL_S)
    time.sleep(max(0.0, PERIOD_S - (time.monotonic() - started_s)))
    return [ages_s[number] for number in range(len(counting))]


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
