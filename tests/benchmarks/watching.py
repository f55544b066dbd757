"""The two ends of a latency measurement, each a separate process.

The clock is the machine's monotonic one, so what two processes noted can be compared; threads of one process would wait
for each other's interpreter lock, and that wait would be read as latency.
"""

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event

from confluent_kafka import Consumer, Producer, TopicPartition

from tests.benchmarks.payload import values

_SPAWN = multiprocessing.get_context("spawn")
POLL_S = 0.05
ANSWER_S = 30.0


class Watcher:
    """Notes when each keyed record arrives in a topic: {key: seconds of the monotonic clock}."""

    def __init__(self, bootstrap: str, topic: str, partitions: int) -> None:
        self._over = _SPAWN.Event()
        self._answer, answer = _SPAWN.Pipe(duplex=False)
        arguments = (bootstrap, topic, partitions, self._over, answer)
        self._process = _SPAWN.Process(target=_watch, args=arguments, daemon=True)
        self._process.start()
        answer.close()

    def seen(self) -> dict[bytes, float]:
        """End the watch. Raises EOFError if the process died."""
        self._over.set()
        if not self._answer.poll(ANSWER_S):
            raise TimeoutError("a watcher does not answer")
        seen: dict[bytes, float] = self._answer.recv()
        self._process.join()
        return seen


@contextmanager
def writing(bootstrap: str, topic: str, partitions: int, records_per_second: int) -> Iterator[None]:
    """Records of 1 KB, keyed by their number, one at a time and at once."""
    over = _SPAWN.Event()
    process = _SPAWN.Process(target=_write, args=(bootstrap, topic, partitions, records_per_second, over), daemon=True)
    process.start()
    try:
        yield
    finally:
        over.set()
        process.join(ANSWER_S)


def _watch(bootstrap: str, topic: str, partitions: int, over: Event, answer: Connection) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "latency",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 100,
            "fetch.min.bytes": 1,
        }
    )
    consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
    seen: dict[bytes, float] = {}
    while not over.is_set():
        message = consumer.poll(POLL_S)
        if message is not None and message.error() is None:
            seen[message.key() or b""] = time.monotonic()
    answer.send(seen)
    consumer.close()


def _write(bootstrap: str, topic: str, partitions: int, records_per_second: int, over: Event) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0, "acks": "all"})
    documents = values(1024)
    number, due = 0, time.monotonic()
    while not over.is_set():
        producer.produce(topic, documents[number % len(documents)], str(number).encode(), number % partitions)
        producer.poll(0)
        number += 1
        due += 1 / records_per_second
        time.sleep(max(0.0, due - time.monotonic()))
    producer.flush(10)
