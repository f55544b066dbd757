"""One partition restarts under traffic: nothing is lost or doubled, and its neighbours are copied without a pause."""

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import pytest
from confluent_kafka import Producer

from replication.domain.control.orders import Hold, RestartOrder
from replication.domain.plan.slot import SlotSpec
from replication.domain.settings.choices import Delivery
from tests.support.engine.slots import SlotLab, until
from tests.support.kafka.kafka_records import end_offsets, read_all

pytestmark = pytest.mark.kafka
PARTITIONS = 4
RESTARTED = 1
LONGEST_PAUSE_S = 1.0  # of a neighbour: commits under exactly once alone are 0.2 s apart, the machine may be busy


@contextmanager
def traffic(lab: SlotLab, topic: str) -> Iterator[list[int]]:
    """Numbered records to every partition, in batches 10 ms apart; yields how many each partition has."""
    stopping, sent = threading.Event(), [0]
    producer = Producer({"bootstrap.servers": lab.source_bootstrap, "linger.ms": 2})

    def send() -> None:
        while not stopping.wait(0.01):
            for partition in range(PARTITIONS):
                for number in range(sent[0], sent[0] + 5):
                    producer.produce(topic, key=str(number), value=b"x" * 200, partition=partition)
            sent[0] += 5
            producer.poll(0)
        producer.flush(20)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield sent
    finally:
        stopping.set()
        thread.join(30)


def copied_keys(lab: SlotLab, topic: str) -> list[list[int]]:
    parts = read_all(lab.target_bootstrap, lab.remote(topic), PARTITIONS, "read_committed")
    return [[int(record.key or b"") for record in part] for part in parts]


def spec_for(lab: SlotLab, topic: str, delivery: Delivery) -> SlotSpec:
    isolation = "read_committed" if delivery == "exactly_once" else "read_uncommitted"
    return lab.spec({topic: PARTITIONS}, delivery=delivery, isolation_level=isolation)


class Arrivals:
    """The time when each partition's position was last seen to move, and its longest pause."""

    def __init__(self, lab: SlotLab, topic: str) -> None:
        self._lab, self._topic = lab, topic
        self._stopping = threading.Event()
        self.seen: dict[int, list[tuple[float, int]]] = {number: [] for number in range(PARTITIONS)}
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> "Arrivals":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join(30)

    def begin(self) -> None:
        """Forget what was seen: copying runs evenly from now on."""
        self.seen = {number: [] for number in range(PARTITIONS)}

    def _watch(self) -> None:
        while not self._stopping.wait(0.05):
            ends = end_offsets(self._lab.target_bootstrap, self._lab.remote(self._topic), PARTITIONS)
            now_s = time.monotonic()
            for number, end in enumerate(ends):
                if not self.seen[number] or self.seen[number][-1][1] != end:
                    self.seen[number].append((now_s, end))

    def longest_pause_s(self, partition: int) -> float:
        return max(later[0] - earlier[0] for earlier, later in pairwise(self.seen[partition]))

    def last_s(self, partition: int) -> float:
        return self.seen[partition][-1][0]


@pytest.mark.parametrize("delivery", ["at_least_once", "exactly_once"])
def test_a_partition_restarts_alone_and_no_record_is_lost_or_doubled(lab: SlotLab, delivery: Delivery) -> None:
    topic = lab.topic(f"restart-{uuid.uuid4().hex[:6]}", PARTITIONS)
    spec = spec_for(lab, topic, delivery)
    with lab.running(spec) as handle, Arrivals(lab, topic) as arrivals:
        with traffic(lab, topic) as sent:
            until(handle, lambda live: live.get("records_total", 0) > 1_000)
            arrivals.begin()
            for number in range(2):
                order = RestartOrder(id=f"r-{number}", topic=topic, partition=RESTARTED)
                spec = replace(spec, restarts=(*spec.restarts, order))
                handle.update(spec)
                until(handle, lambda live, key=order.id: key in live["done_restarts"])  # type: ignore[misc]
                before = handle.live()["records_total"]
                until(handle, lambda live, before=before: live["records_total"] > before + 500)  # type: ignore[misc]
        lab.wait_committed(handle, topic, PARTITIONS)
        assert handle.live()["transactions_aborted"] == 0

    assert copied_keys(lab, topic) == [list(range(sent[0]))] * PARTITIONS
    pauses = [arrivals.longest_pause_s(number) for number in range(PARTITIONS) if number != RESTARTED]
    assert max(pauses) <= LONGEST_PAUSE_S, pauses


def test_a_held_topic_stops_within_a_second_and_the_rate_of_its_neighbour_stays(lab: SlotLab) -> None:
    held, other = (lab.topic(f"{name}-{uuid.uuid4().hex[:6]}", PARTITIONS) for name in ("held", "other"))
    spec = lab.spec({held: PARTITIONS, other: PARTITIONS})
    with (
        lab.running(spec) as handle,
        traffic(lab, held),
        traffic(lab, other),
        Arrivals(lab, held) as of_held,
        Arrivals(lab, other) as of_other,
    ):
        until(handle, lambda live: live.get("records_total", 0) > 5_000)
        of_held.begin()
        of_other.begin()
        held_s = time.monotonic()
        handle.update(replace(spec, holds=(Hold(topic=held),)))
        until(handle, lambda live: live["states"].get("paused") == PARTITIONS)
        time.sleep(2.0)  # a window in which the held topic must not move
        ended_s = time.monotonic()

    assert max(of_held.last_s(number) for number in range(PARTITIONS)) - held_s <= 1.0
    for number in range(PARTITIONS):
        moved = [at_s for at_s, _end in of_other.seen[number] if at_s >= held_s]
        assert moved[-1] >= ended_s - 0.5
        assert of_other.longest_pause_s(number) <= LONGEST_PAUSE_S
