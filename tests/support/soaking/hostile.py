"""A producer that means harm, to separate topics that flow beside those that are audited."""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from confluent_kafka import KafkaException, Producer

from tests.support.kafka.kafka_records import admin, create_topic, delete_topic

TOPIC = "hostile-attack"  # the flow masks a field of its records and filters them by a nested quantifier
LONG_NAMES = ("hostile-" + "n" * 236, "hostile-" + "m" * 241)  # the first one's remote name has 249 characters
PARTITIONS = 3
BOMB_BYTES = 200 * 1024 * 1024
_MB = 1024 * 1024
_PAUSE_S = 0.2
_PATIENCE_S = 30.0

PROPERTIES = f"""
east->west.transforms = mask, tests
east->west.transforms.mask.type = mask_field
east->west.transforms.mask.fields = pin
east->west.transforms.mask.topics = {TOPIC}
east->west.transforms.tests.type = filter
east->west.transforms.tests.pattern = "test":true.*"prod"
east->west.transforms.tests.topics = {TOPIC}
east->west.srm.errors.policy = skip
"""
PATTERNS = "hostile-.*|([a-z]+)+-prod"


class HostileProducer:
    """Writes one kind after the other until it is stopped; what brokers refuse is no matter."""

    def __init__(self, bootstrap: str, chance: random.Random) -> None:
        self._bootstrap = bootstrap
        self._chance = chance
        self._stop = threading.Event()
        self.written = 0
        settings = {
            "bootstrap.servers": bootstrap,
            "log_level": 0,
            "linger.ms": 0,
            "message.max.bytes": BOMB_BYTES + _MB,
            "message.timeout.ms": int(_PATIENCE_S * 1000),
        }
        self._packing = Producer({**settings, "compression.type": "zstd"})
        self._plain = Producer(settings)

    def run(self) -> None:
        kinds: list[Callable[[], None]] = [self._bomb, self._big_batches, self._nested, self._almost_filtered]
        while not self._stop.wait(_PAUSE_S):
            with suppress(KafkaException, BufferError):
                self._chance.choice(kinds)()
                self.written += 1

    def _bomb(self) -> None:
        """200 MB of zeros in some kilobytes, to a topic without transforms: small enough to be merged."""
        self._send(self._packing, LONG_NAMES[0], bytes(BOMB_BYTES))

    def _big_batches(self) -> None:
        for _ in range(5):
            self._send(self._plain, TOPIC, self._chance.randbytes(_MB - 1024))

    def _nested(self) -> None:
        self._send(self._plain, TOPIC, b"[" * 200_000 + b"]" * 200_000)
        self._send(self._packing, TOPIC, b"[" + b"[]," * 8_000_000 + b"[]]")

    def _almost_filtered(self) -> None:
        self._send(self._plain, TOPIC, b'{"pin":"1","t":[' + b'"test":true,' * 30_000 + b"0]")

    def _send(self, producer: Producer, topic: str, value: bytes) -> None:
        producer.produce(topic, value=value, partition=self._chance.randrange(PARTITIONS))
        producer.flush(_PATIENCE_S)

    @contextmanager
    def attacking(self) -> Iterator["HostileProducer"]:
        thread = threading.Thread(target=self.run, name="hostile", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join(_PATIENCE_S + 5)


def create_hostile_topics(bootstrap: str) -> None:
    """Create the producer's topics, and one whose name a backtracking engine would match for ages."""
    for topic in (TOPIC, *LONG_NAMES):
        create_topic(bootstrap, topic, PARTITIONS)
    create_topic(bootstrap, _odd_name(), 1)


def delete_hostile_topics(bootstrap: str) -> None:
    """Delete what `create_hostile_topics` made."""
    known: Any = admin(bootstrap).list_topics(timeout=10).topics
    for topic in (TOPIC, *LONG_NAMES, _odd_name()):
        if topic in known:
            delete_topic(bootstrap, topic)


def _odd_name() -> str:
    return "a" * 34 + "-Prod"
