"""Messages that are taken from the queue at most once, without an acknowledgement.

Celery's transport for Redis records each message it takes until the message is acknowledged, with a separate client
for each of the two steps. A driver's messages only start jobs and expire soon; its coordinator sends them again if
the job does not begin.
"""

from typing import Any

from celery import Task
from celery.worker.request import Request
from kombu import Exchange, Queue


class AtMostOnceRequest(Request):
    """A request whose message the transport does not record."""

    def acknowledge(self) -> None:
        self.acknowledged = True


class AtMostOnceTask(Task[Any, Any]):
    """The class of a driver's tasks, for `Celery(task_cls=...)`."""

    Request = f"{__name__}:AtMostOnceRequest"


def at_most_once_queue(name: str) -> Queue:
    """Return the queue from which messages are taken without being recorded."""
    return Queue(name, Exchange(name, type="direct"), routing_key=name, no_ack=True)
