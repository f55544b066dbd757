"""Writes the demonstration's records into one cluster until it is told to stop."""

import random
import threading
import time
from collections.abc import Sequence

import structlog

from replication.domain.errors import ReplicationError, RetriableError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.ports.admin import NewTopic
from srm_cli.traffic.records import make_record
from srm_cli.traffic.topics import RETENTION, DemoTopic

# Short bursts make the batches a real producer with a little linger makes.
_BURST_SECONDS = 0.2
_FLUSH_EVERY_BURSTS = 25
_RETRY_SECONDS = 2.0

_log = structlog.get_logger(__name__)


class TrafficGenerator:
    """One cluster's topics. `run` continues through broker restarts: it reports, waits and tries again."""

    def __init__(self, cluster: ClusterClient, topics: Sequence[DemoTopic], stop: threading.Event) -> None:
        self._cluster = cluster
        self._topics = topics
        self._stop = stop
        self._chance = random.Random(cluster.alias)  # noqa: S311 - demonstration data
        self._sent = {topic.name: 0 for topic in topics}
        self._owed = {topic.name: 0.0 for topic in topics}

    def run(self) -> None:
        while not self._stop.is_set():
            try:
                self._create_topics()
                self._produce_until_stopped()
            except ReplicationError as error:
                _log.warning("traffic_interrupted", cluster=self._cluster.alias, error=str(error))
                self._stop.wait(_RETRY_SECONDS)

    def _create_topics(self) -> None:
        admin = open_admin(self._cluster)
        try:
            refused = admin.create_topics(
                [
                    NewTopic(
                        name=topic.name,
                        partitions=topic.partitions,
                        replication_factor=1,
                        configs=RETENTION | topic.configs,
                    )
                    for topic in self._topics
                ]
            )
        finally:
            admin.close()
        for each in refused:
            _log.warning("topic_refused", cluster=self._cluster.alias, topic=each.topic, code=each.code)

    def _produce_until_stopped(self) -> None:
        producer = ConfluentRecordProducer(self._cluster)
        began = time.monotonic()
        last = began
        bursts = 0
        try:
            while not self._stop.wait(_BURST_SECONDS):
                now = time.monotonic()
                self._send_due(producer, now - began, now - last)
                last = now
                bursts += 1
                if bursts % _FLUSH_EVERY_BURSTS == 0:
                    producer.flush()
            producer.flush()
        finally:
            producer.close()

    def _send_due(self, producer: ConfluentRecordProducer, at_seconds: float, passed_seconds: float) -> None:
        now_ms = time.time_ns() // 1_000_000
        for topic in self._topics:
            # After a long pause the backlog is dropped: the demonstration shows a steady load, not a burst.
            self._owed[topic.name] += topic.rate_at(at_seconds) * min(passed_seconds, 1.0)
            due, self._owed[topic.name] = divmod(self._owed[topic.name], 1)
            for _ in range(int(due)):
                self._send_one(producer, topic, now_ms)

    def _send_one(self, producer: ConfluentRecordProducer, topic: DemoTopic, now_ms: int) -> None:
        record = make_record(topic, self._sent[topic.name], now_ms, self._chance)
        try:
            producer.send(topic.name, key=record.key, value=record.value, headers=record.headers)
        except RetriableError:
            producer.flush()  # the local queue is full: wait for the broker, or learn what is wrong with it
            return
        self._sent[topic.name] += 1
