"""Traffic in the background of a test: numbered records, so that loss, order and doubles can be told."""

import itertools
import os
import random
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Producer

BATCH = 100
PATIENCE_S = 120.0  # brokers are killed under the writer
_CODECS = ("none", "lz4", "zstd", "gzip", "snappy")


def say(text: str) -> None:
    """A line for the report of the run (`pytest -s` shows it, a failing test always does)."""
    sys.stdout.write(f"{text}\n")


def fault_seed() -> int:
    """`SRM_FAULT_SEED`, or the one seed of everyday; told, so that a failure can be had again."""
    seed = int(os.environ.get("SRM_FAULT_SEED", "20261121"))
    say(f"seed {seed}: SRM_FAULT_SEED={seed} repeats this run")
    return seed


class Traffic:
    """Writes numbered records to the partitions of a topic in turn until stopped, one acknowledged round at a time.

    Record n has the key n and goes to partition n modulo the partitions; codec, size and headers come from the seed.
    `partitions` may grow while it runs.
    """

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        partitions: int,
        records_per_second: int,
        *,
        seed: int = 1,
        client: Mapping[str, Any] | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = partitions
        self.written = 0  # numbers below are acknowledged (or, in an aborted transaction, were)
        self._pause_s = BATCH / records_per_second
        self._random = random.Random(f"{seed}-{topic}")
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._failed: list[Any] = []
        self._settings = {
            "bootstrap.servers": bootstrap,
            "enable.idempotence": True,
            "log_level": 0,  # brokers go away here on purpose
            "compression.type": self._random.choice(_CODECS),
            "linger.ms": 5,
            "message.timeout.ms": int(PATIENCE_S * 1000),
            **(client or {}),
        }

    def run(self) -> None:
        try:
            producer, known = self._open(), self.partitions
            while not self._stop.wait(self._pause_s):
                if self.partitions != known:  # a producer learns of new partitions after minutes
                    producer, known = self._open(), self.partitions
                self._write_round(producer)
        except BaseException as error:
            self._error = error

    def _open(self) -> Producer:
        return Producer(self._settings)

    def _write_round(self, producer: Producer) -> None:
        self._send(producer, "")
        left = producer.flush(PATIENCE_S)
        assert left == 0, f"{left} records of {self.topic} were not acknowledged"
        self._passed()

    def _send(self, producer: Producer, mark: str) -> None:
        for number in range(self.written, self.written + BATCH):
            headers: list[tuple[str, str | bytes | None]] = [("mark", mark)] if mark else []
            if number % 7 == 0:
                headers += [("n", b"%d" % number), ("nothing", None), ("n", b"again")]
            producer.produce(
                self.topic,
                key=str(number),
                value=f"{mark}{number}-{'x' * self._random.randrange(50, 400)}",
                partition=number % self.partitions,
                headers=headers,
                on_delivery=self._delivered,
            )

    def _delivered(self, error: Any, _message: Any) -> None:
        if error is not None:
            self._failed.append(error)

    def _passed(self) -> None:
        assert not self._failed, self._failed[:3]
        self.written += BATCH

    @contextmanager
    def flowing(self) -> Iterator["Traffic"]:
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join(PATIENCE_S)
        assert self._error is None, self._error

    def wait_for(self, more: int, timeout_s: float = PATIENCE_S) -> None:
        goal, deadline = self.written + more, time.monotonic() + timeout_s
        while self.written < goal:
            assert self._error is None, self._error
            assert time.monotonic() < deadline, f"the traffic into {self.topic} does not flow"
            time.sleep(0.05)

    def wait_to_pass(self, seconds: float) -> None:
        """Until traffic has flowed for that long: an outage has to last for a while."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert self._error is None, self._error
            time.sleep(0.1)


class TransactionalTraffic(Traffic):
    """Each round is one transaction; the seed lets every third or so be aborted."""

    _ids = itertools.count(1)

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.committed = 0
        self.aborted = 0
        self._settings["transactional.id"] = f"writer-{self.topic}-{next(self._ids)}"
        self._settings["transaction.timeout.ms"] = self._settings["message.timeout.ms"]

    def _open(self) -> Producer:
        producer = super()._open()
        producer.init_transactions(PATIENCE_S)
        return producer

    def _write_round(self, producer: Producer) -> None:
        producer.begin_transaction()
        is_aborted = self._random.random() < 0.35
        self._send(producer, "aborted-" if is_aborted else "")
        if is_aborted:
            producer.flush(PATIENCE_S)  # onto the brokers, where a careless copier would find it
            producer.abort_transaction(PATIENCE_S)
            self.aborted += BATCH
        else:
            producer.commit_transaction(PATIENCE_S)
            self.committed += BATCH
        self._passed()
