"""A topic that is throttled or held changes nothing for its neighbours in the same task, which are copied as before."""

import os
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from confluent_kafka import Producer

from replication.domain.control.orders import Hold, TopicThrottle
from tests.support.engine.partition_pauses import PartitionPauses
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.kafka_records import EndOffsets, produce

pytestmark = pytest.mark.kafka
RECORD_BYTES = 1_000
RATE = 400_000  # bytes per second of the throttle
PER_SECOND = 200  # records that each neighbour gets
WINDOW_S = 4.0
LONGEST_PAUSE_S = 1.0
TOLERANCE = 0.15  # of rates over a window; the machine may be busy


@contextmanager
def traffic(lab: SlotLab, *topics: str) -> Iterator[None]:
    """As many records per second to each topic as to the others."""
    stopping = threading.Event()
    producer = Producer({"bootstrap.servers": lab.source_bootstrap, "linger.ms": 2})

    def send() -> None:
        began_s, sent = time.monotonic(), 0
        while not stopping.wait(0.02):
            due = int((time.monotonic() - began_s) * PER_SECOND)
            for _ in range(due - sent):
                for topic in topics:
                    producer.produce(topic, value=b"x" * 200, partition=0)
            sent = due
            producer.poll(0)
        producer.flush(20)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join(30)


class Ends:
    """The numbers of records of topics and of their copies."""

    def __init__(self, lab: SlotLab, *topics: str) -> None:
        self._written = [EndOffsets(lab.source_bootstrap, topic, 1) for topic in topics]
        self._copied = [EndOffsets(lab.target_bootstrap, lab.remote(topic), 1) for topic in topics]

    def copied(self) -> list[int]:
        return [ends()[0] for ends in self._copied]

    def rates(self, seconds: float) -> tuple[list[float], list[float]]:
        """Records per second from now on: written to each topic, and copied."""
        began_s, written, copied = time.monotonic(), self._ends_written(), self.copied()
        time.sleep(seconds)
        later, elapsed_s = (self._ends_written(), self.copied()), time.monotonic() - began_s
        first, second = (
            [(late - early) / elapsed_s for early, late in zip(before, after, strict=True)]
            for before, after in zip((written, copied), later, strict=True)
        )
        return first, second

    def _ends_written(self) -> list[int]:
        return [ends()[0] for ends in self._written]

    def close(self) -> None:
        for ends in (*self._written, *self._copied):
            ends.close()


@contextmanager
def ends_of(lab: SlotLab, *topics: str) -> Iterator[Ends]:
    ends = Ends(lab, *topics)
    try:
        yield ends
    finally:
        ends.close()


def names(lab: SlotLab, count: int) -> list[str]:
    run = uuid.uuid4().hex[:6]
    return [lab.topic(f"limits-{run}-{number}") for number in range(count)]


def test_a_throttled_topic_keeps_its_rate_and_its_neighbour_is_copied_without_a_pause(lab: SlotLab) -> None:
    slow, neighbour = names(lab, 2)
    values = ({"value": os.urandom(RECORD_BYTES)} for _ in range(12_000))
    spec = lab.spec({slow: 1, neighbour: 1})
    throttle = TopicThrottle(topic=slow, bytes_per_second=RATE)
    with lab.running(spec) as handle, traffic(lab, neighbour), ends_of(lab, slow, neighbour) as ends:
        until(handle, lambda live: live.get("records_total", 0) > PER_SECOND)
        handle.update(replace(spec, topic_throttles=(throttle,)))
        produce(lab.source_bootstrap, slow, values, batch_size=20_000)
        until(handle, lambda live: live["states"].get("throttled") == 1)
        with PartitionPauses(lab.target_bootstrap, lab.remote(neighbour), 1).watched() as pauses:
            written, (limited, beside) = ends.rates(2 * WINDOW_S)
            (longest_s,) = pauses.longest_s()
        states = handle.live()["states"]
        handle.update(spec)
        _, (free, _beside) = ends.rates(1.0)

    assert limited * RECORD_BYTES == pytest.approx(RATE, rel=0.2)
    assert beside == pytest.approx(written[1], rel=TOLERANCE)
    assert longest_s < LONGEST_PAUSE_S
    assert states["throttled"] == 1
    assert free * RECORD_BYTES > 3 * RATE, "without a restart, as soon as the throttle is removed"


def test_during_the_hold_of_a_topic_its_neighbours_are_copied_at_the_rate_of_before(lab: SlotLab) -> None:
    held, *neighbours = names(lab, 3)
    spec = lab.spec(dict.fromkeys((held, *neighbours), 1))
    with lab.running(spec) as handle, traffic(lab, held, *neighbours), ends_of(lab, held, *neighbours) as ends:
        until(handle, lambda live: live.get("records_total", 0) > 3 * PER_SECOND)
        written, before = ends.rates(WINDOW_S)
        with PartitionPauses(lab.target_bootstrap, lab.remote(neighbours[0]), 1).watched() as pauses:
            handle.update(replace(spec, holds=(Hold(topic=held),)))
            time.sleep(1.0)
            stopped = ends.copied()[0]
            meanwhile, after = ends.rates(WINDOW_S)
            (longest_s,) = pauses.longest_s()
            assert ends.copied()[0] == stopped, "a record was read later than a second after the order"
        states = handle.live()["states"]

    assert before == pytest.approx(written, rel=TOLERANCE)
    assert (after[0], meanwhile[0] > 0) == (0, True)
    assert after[1:] == pytest.approx(meanwhile[1:], rel=TOLERANCE)
    assert after[1:] == pytest.approx(before[1:], rel=2 * TOLERANCE)
    assert longest_s < LONGEST_PAUSE_S
    assert states["paused"] == 1
