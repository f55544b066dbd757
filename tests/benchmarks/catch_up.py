"""Catching up after a stop: a minute's backlog of one topic, from the start of the process until level."""

import time
from pathlib import Path

from tests.benchmarks.payload import values
from tests.benchmarks.report import Result
from tests.benchmarks.sides import Pair, Side, copied, running
from tests.support.kafka.kafka_records import create_topic, produce

STOPPED_S = 60
RECORDS_PER_SECOND = 10_000
PARTITIONS = 8
LIMIT_S = 300.0


def compare_catch_up(ours: Side, theirs: Side, source: str, target: str, folder: Path) -> list[Result]:
    """Seconds from process start to level, start-up included: that is what an operator waits for."""
    topic, records = "bench-catch-up", STOPPED_S * RECORDS_PER_SECOND
    create_topic(source, topic, PARTITIONS)
    documents = values(1024)
    rows = ({"value": documents[n % len(documents)], "partition": n // 100 % PARTITIONS} for n in range(records))
    produce(source, topic, rows, compression_type="lz4", batch_num_messages=100)
    seconds = {}
    for side in (ours, theirs):
        pair = Pair(source=source, target=target, alias=f"catchup{side.name}".replace("-", ""))
        command = side.command(pair, topic, PARTITIONS, folder)
        started = time.monotonic()
        with running(command, folder / f"catch-up-{side.name}.log"):
            while copied(pair, topic, PARTITIONS) < records:
                if time.monotonic() - started > LIMIT_S:
                    raise TimeoutError(f"{side.name} is not level within {LIMIT_S:.0f} s")
                time.sleep(0.05)
            seconds[side.name] = time.monotonic() - started
        print(f"catch-up: {side.name}: {seconds[side.name]:.1f} s", flush=True)
    name = f"caught up after {STOPPED_S} s of downtime at {RECORDS_PER_SECOND:,} records/s"
    return [Result.told(name, "s", seconds[ours.name], seconds[theirs.name])]
