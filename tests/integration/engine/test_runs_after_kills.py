"""A data worker that is killed with -9 leaves no hole in the offset runs, on topics where almost every batch is one.

The slot runs in a separate process, which is killed a few times while transactions are copied.
"""

import random
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from confluent_kafka import Producer

from replication.codecs import offset_runs
from replication.domain.offsets.offset_run import Runs
from replication.domain.plan.slot import SlotSpec
from replication.kafka.flow_logs import FlowLogs
from tests.support.engine.killed_worker import killed_worker
from tests.support.engine.slots import SlotLab
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import end_offsets, read_all

pytestmark = pytest.mark.kafka

KILLS, NUMBERS = 4, 150
COPY_S, OPEN_S = 90.0, 60.0  # an open segment is readable after 5 s


def transactions(bootstrap: str, topic: str, numbers: range, rng: random.Random) -> None:
    """Small transactions, every fourth one aborted."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": uuid.uuid4().hex})
    producer.init_transactions(30)
    left = list(numbers)
    while left:
        size = rng.randint(1, 5)
        producer.begin_transaction()
        for number in left[:size]:
            producer.produce(topic, key=str(number), value="x" * 100)
        producer.flush(10)
        if rng.random() < 0.25:
            producer.abort_transaction(30)
        else:
            producer.commit_transaction(30)
            del left[:size]
        time.sleep(0.01)


def copied(lab: SlotLab, topic: str) -> int:
    return sum(end_offsets(lab.target_bootstrap, lab.remote(topic), 1))


def segments(lab: SlotLab, topic: str) -> list[Runs]:
    """Of each key the newest, in the order of the log."""
    newest: dict[bytes, Runs] = {}
    for partition in read_all(lab.target_bootstrap, lab.runs_topic, 4):
        for record in partition:
            key = record.key or b""
            if key.split(b"\0")[0].decode() == topic:
                newest.pop(key, None)
                newest[key] = offset_runs.decode(key, record.value or b"").runs
    return list(newest.values())


def claimed(lab: SlotLab, topic: str) -> dict[int, int]:
    """Every pair of offsets that the runs name; where several do, the newest counts."""
    return {
        run.upstream + index: run.downstream + index
        for runs in segments(lab, topic)
        for run in runs
        for index in range(run.length)
    }


def copy_and_kill(lab: SlotLab, spec: SlotSpec, topic: str, numbers: range, rng: random.Random) -> None:
    """Kill the worker while it copies these transactions."""
    before, few = copied(lab, topic), len(numbers) // 3
    with ThreadPoolExecutor(1) as pool:
        with killed_worker([spec]):
            transactions(lab.source_bootstrap, topic, numbers[:few], rng)
            eventually(lambda: copied(lab, topic) >= before + few, COPY_S, "the worker copies")
            writing = pool.submit(transactions, lab.source_bootstrap, topic, numbers[few:], rng)
            goal = copied(lab, topic) + len(numbers) // 3

            def is_reached() -> bool:
                if writing.done():
                    writing.result()
                return copied(lab, topic) >= goal

            eventually(is_reached, COPY_S, f"the remote log ends at {goal}")
        writing.result(COPY_S)


@pytest.mark.parametrize("delivery", [pytest.param("at_least_once", marks=pytest.mark.large), "exactly_once"])
def test_killed_workers_leave_no_hole_in_the_runs(lab: SlotLab, delivery: str) -> None:
    rng = random.Random(7)
    topic = lab.topic(f"killed-{uuid.uuid4().hex[:6]}")
    spec = lab.spec({topic: 1}, delivery=delivery, isolation_level="read_committed", commit_interval_ms=1_000)
    for kill in range(KILLS):
        copy_and_kill(lab, spec, topic, range(kill * NUMBERS, (kill + 1) * NUMBERS), rng)
    handle = lab.start(spec)
    lab.wait_committed(handle, topic, 1)
    source = {record.key: record.offset for record in read_all(lab.source_bootstrap, topic, 1, "read_committed")[0]}
    target = {
        record.key: record.offset
        for record in read_all(lab.target_bootstrap, lab.remote(topic), 1, "read_committed")[0]
    }
    expected = {offset: target[key] for key, offset in source.items()}
    eventually(lambda: claimed(lab, topic) == expected, OPEN_S, "the runs are readable while the slot runs")

    handle.stop()
    assert handle.wait(15)
    found = segments(lab, topic)
    assert claimed(lab, topic) == expected
    assert len(found) > 2
    logs = FlowLogs(lab.target, lab.source.alias, [topic])
    try:
        logs.read_runs()
        logs.read_positions()
        (history,) = logs.histories.values()
        (runs,) = history.runs.values()
        assert sorted(runs, key=repr) == sorted((run for each in found for run in each), key=repr)
    finally:
        logs.close()
