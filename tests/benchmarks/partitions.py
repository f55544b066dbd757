"""Ten thousand partitions in one data worker: how long until all replicate, and what idling costs."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import NewTopic, OffsetSpec

from tests.benchmarks.report import Result
from tests.benchmarks.sides import cpu_seconds, prepare_internal_topics, resident_mb, running
from tests.support.kafka.kafka_records import admin

TOPICS = 1_000
PARTITIONS_EACH = 10
SLOTS = 4
PER_CALL = 50
ALIAS = "many"
LIMIT_S = 300.0
IDLE_S = 30.0


def measure_partitions(source: str, target: str, folder: Path, topics: int = TOPICS) -> list[Result]:
    """Only ours: a replicator that takes minutes for this would make the benchmark a matter of hours."""
    names = [f"wide-{number:04d}" for number in range(topics)]
    count = topics * PARTITIONS_EACH
    _create(source, names)
    _create(target, [f"{ALIAS}.{name}" for name in names])
    prepare_internal_topics(source, target, ALIAS)
    order = {
        "source": source,
        "target": target,
        "alias": ALIAS,
        "topics": dict.fromkeys(names, PARTITIONS_EACH),
        "slots": SLOTS,
        "report": str(folder / "partitions.json"),
    }
    with _engine(order, folder) as process:
        started = time.monotonic()
        _wait(lambda: _replicating(folder) >= count, f"{count:,} partitions replicating")
        ready_s = time.monotonic() - started
        print(f"partitions: {count:,} replicating after {ready_s:.1f} s", flush=True)
        started = time.monotonic()
        _one_record_each(source, names)
        _wait(lambda: _arrived(target, names) >= count, f"a record in each of {count:,} partitions")
        through_s = time.monotonic() - started
        time.sleep(10)
        begun, cpu = time.monotonic(), cpu_seconds(process.pid)
        time.sleep(IDLE_S)
        idle = (cpu_seconds(process.pid) - cpu) / (time.monotonic() - begun)
        memory = resident_mb(process.pid)
    name = f"{count:,} partitions of {topics:,} topics"
    return [
        Result.alone(f"{name}: all replicating after", "s", ready_s),
        Result.alone(f"{name}: one new record in each is copied after", "s", through_s),
        Result.alone(f"{name}: resident memory of the data worker", "MB", memory),
        Result.alone(f"{name}: CPU of the data worker when idle", "cores", idle),
    ]


@contextmanager
def _engine(order: dict[str, object], folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    path = folder / "partitions-order.json"
    path.write_text(json.dumps(order))
    command = [sys.executable, "-m", "tests.benchmarks.copy_with_engine", f"@{path}"]
    with running(command, folder / "partitions.log") as process:
        yield process


def _replicating(folder: Path) -> int:
    try:
        states: dict[str, int] = json.loads((folder / "partitions.json").read_text())["states"]
    except (OSError, ValueError, KeyError):
        return 0
    return states.get("replicating", 0) + states.get("caught_up", 0)


def _arrived(bootstrap: str, names: Sequence[str]) -> int:
    asked = {
        TopicPartition(f"{ALIAS}.{name}", number): OffsetSpec.latest()  # type: ignore[no-untyped-call]
        for name in names
        for number in range(PARTITIONS_EACH)
    }
    answers = admin(bootstrap).list_offsets(asked, request_timeout=30)
    return sum(answer.result(30).offset for answer in answers.values())


def _one_record_each(bootstrap: str, names: Sequence[str]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 50})
    for name in names:
        for number in range(PARTITIONS_EACH):
            producer.produce(name, b"x" * 100, partition=number)
        producer.poll(0)
    if producer.flush(120) > 0:
        raise RuntimeError(f"the source at {bootstrap} did not take one record for each partition")


def _create(bootstrap: str, names: Sequence[str]) -> None:
    client = admin(bootstrap)
    for start in range(0, len(names), PER_CALL):
        chunk = [NewTopic(name, PARTITIONS_EACH, 1) for name in names[start : start + PER_CALL]]
        for created in client.create_topics(chunk, request_timeout=60).values():
            created.result(60)


def _wait(reached: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not reached():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {LIMIT_S:.0f} s: {what}")
        time.sleep(0.25)
