"""Topics with all that bends offsets. Each record's value is a number, and its source offset is remembered."""

import time
import uuid
from collections import defaultdict
from collections.abc import Iterable
from random import Random
from typing import Any

from confluent_kafka import Producer, TopicPartition

from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import admin, end_offsets, read_all

SHAPES = ("plain", "transactions", "compacted", "cut", "single")
COMPACTED: dict[str, Any] = {  # of the source topic
    "cleanup_policy": "compact",
    "segment_ms": "100",
    "min_cleanable_dirty_ratio": "0.001",
    "max_compaction_lag_ms": "100",
    "delete_retention_ms": "100",
}


def shape_of(topic: str) -> str:
    """The shape that a topic's name ends with."""
    return topic.rsplit("-", 1)[1]


class Shapes:
    """Writes to partition 0 of topics as their names say."""

    def __init__(self, bootstrap: str, seed: int) -> None:
        self._bootstrap = bootstrap
        self._rng = Random(seed)
        self._number = 0
        self.offsets: dict[str, dict[bytes, int]] = defaultdict(dict)  # by topic: source offset by value
        self.aborted: dict[str, dict[bytes, int]] = defaultdict(dict)  # likewise, of aborted transactions
        common: dict[str, Any] = {"bootstrap.servers": bootstrap, "log_level": 0}
        self._plain = Producer({**common, "linger.ms": 5})
        self._single = Producer({**common, "linger.ms": 0, "batch.num.messages": 1})
        self._transactional = Producer({**common, "transactional.id": uuid.uuid4().hex})
        self._transactional.init_transactions(30)

    def write(self, topics: Iterable[str], records: int) -> None:
        """About so many records to each topic."""
        for topic in topics:
            if shape_of(topic) == "transactions":
                self._write_transactions(topic, records)
            else:
                producer = self._single if shape_of(topic) == "single" else self._plain
                for _ in range(records):
                    self._send(producer, topic)
                producer.poll(0)
        for producer in (self._plain, self._single):
            assert producer.flush(60) == 0

    def _write_transactions(self, topic: str, records: int) -> None:
        producer, left = self._transactional, records
        while left > 0:
            before = dict(self.offsets[topic])
            producer.begin_transaction()
            size = self._rng.randint(1, 12)
            for _ in range(size):
                self._send(producer, topic)
            producer.flush(30)
            if self._rng.random() < 0.3:
                producer.abort_transaction(30)
                offsets = self.offsets[topic]
                self.aborted[topic] |= {value: offset for value, offset in offsets.items() if value not in before}
                self.offsets[topic] = before
            else:
                producer.commit_transaction(30)
            left -= size

    def _send(self, producer: Producer, topic: str) -> None:
        self._number += 1
        value = b"%d" % self._number
        key = b"%d" % self._rng.randint(0, 30) if shape_of(topic) == "compacted" else value
        offsets = self.offsets[topic]

        def delivered(error: Any, message: Any) -> None:
            assert error is None, error
            offsets[value] = message.offset()

        producer.produce(topic, key=key, value=value, partition=0, on_delivery=delivered)

    def cut(self, topic: str, share: float) -> None:
        """Delete the oldest records, as retention does."""
        (end,) = end_offsets(self._bootstrap, topic, 1)
        place = TopicPartition(topic, 0, int(end * share))
        admin(self._bootstrap).delete_records([place])[place].result(10)

    def wait_compacted(self, topics: Iterable[str], timeout_s: float = 90) -> None:
        """Until the cleaner has removed something of each; a small record rolls the segment."""
        for topic in topics:
            written = len(self.offsets[topic])
            time.sleep(0.15)
            self._send(self._plain, topic)
            self._plain.flush(10)
            eventually(
                lambda topic=topic, written=written: len(read_all(self._bootstrap, topic)[0]) < written,  # type: ignore[misc]
                timeout_s,
                f"{topic} is compacted",
            )
