"""Traffic in the background of a test: numbered records, so that loss, order and doubles can be told."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.kafka_records import produce

BATCH = 100


class Traffic:
    """Writes numbered records to the partitions of a topic in turn until stopped."""

    def __init__(self, bootstrap: str, topic: str, partitions: int, records_per_second: int) -> None:
        self._bootstrap = bootstrap
        self._topic = topic
        self._partitions = partitions
        self._pause_s = BATCH / records_per_second
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self.written = 0

    def run(self) -> None:
        try:
            while not self._stop.wait(self._pause_s):
                numbers = range(self.written, self.written + BATCH)
                produce(
                    self._bootstrap,
                    self._topic,
                    ({"key": str(n), "value": f"{n}-{'x' * 200}", "partition": n % self._partitions} for n in numbers),
                    compression_type="lz4",
                )
                self.written += BATCH
        except BaseException as error:
            self._error = error

    @contextmanager
    def flowing(self) -> Iterator["Traffic"]:
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join(60)
        assert self._error is None, self._error

    def wait_for(self, more: int, timeout_s: float = 60) -> None:
        goal, deadline = self.written + more, time.monotonic() + timeout_s
        while self.written < goal:
            assert self._error is None, self._error
            assert time.monotonic() < deadline, "the traffic does not flow"
            time.sleep(0.05)
