"""The start messages of source slots as Celery puts them into Redis, to be delivered again."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from redis import Redis
from redis.exceptions import RedisError

from replication.worker.jobs.celery_app import JOBS
from replication.worker.state import keys


@dataclass(frozen=True, slots=True, kw_only=True)
class StartMessage:
    """One message with the key of its queue."""

    queue: str
    text: str

    @property
    def driver(self) -> str:
        return self.queue.removeprefix(f"{keys.CELERY_PREFIX}srm.driver.").split(".")[0]

    def without_expiry(self) -> "StartMessage":
        """Return a copy that Celery does not drop, however late it comes."""
        message = json.loads(self.text)
        message["headers"]["expires"] = None
        return StartMessage(queue=self.queue, text=json.dumps(message))

    def deliver(self, client: Redis, queue: str | None = None) -> None:
        client.lpush(queue or self.queue, self.text)


class StartMessages:
    """Notes the messages that are sent while it watches; thread-safe."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._seen: list[StartMessage] = []
        self._watches = threading.Event()

    @contextmanager
    def watched(self) -> Iterator["StartMessages"]:
        threading.Thread(target=self._run, name="start-messages", daemon=True).start()
        assert self._watches.wait(10), "Redis does not show its commands"
        yield self

    def seen(self) -> list[StartMessage]:
        with self._lock:
            return list(self._seen)

    def _run(self) -> None:
        """Ends with the server."""
        try:
            with cast("Any", self._client).monitor() as monitor:
                self._watches.set()
                while True:
                    self._note(str(monitor.next_command()["command"]))
        except (OSError, RedisError):
            return

    def _note(self, command: str) -> None:
        words = command.split(" ", 2)
        if len(words) < 3 or words[0].upper() != "LPUSH" or JOBS["source"] not in words[2]:
            return
        with self._lock:
            self._seen.append(StartMessage(queue=words[1], text=words[2]))
