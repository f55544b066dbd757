"""Sends Celery messages over one connection with short time-outs: the coordinator must not wait for a frozen Redis."""

from typing import Any

from celery import Celery

EXPIRES_S = 30
_TIMEOUTS = {"socket_timeout": 2, "socket_connect_timeout": 2}


class MessageSender:
    """For one thread. The connection is opened at the first message, and again after a failure."""

    def __init__(self, app: Celery, queue: str) -> None:
        self._app = app
        self._queue = queue
        self._producer: Any = None  # celery's producers are untyped here

    def send(self, name: str, *arguments: object) -> None:
        """Raises what the broker raises; the message may have been sent all the same."""
        try:
            self._app.send_task(
                name,
                arguments,
                queue=self._queue,
                expires=EXPIRES_S,
                retry=False,
                producer=self._connected(),
                argsrepr="",  # texts for logs that a driver does not write
                kwargsrepr="",
            )
        except Exception:
            self._close()
            raise

    def _connected(self) -> Any:
        if self._producer is None:
            options = self._app.conf.broker_transport_options | _TIMEOUTS
            connection = self._app.connection_for_write().clone(transport_options=options)
            self._producer = self._app.amqp.Producer(connection, auto_declare=False)
        return self._producer

    def _close(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            producer.connection.collapse()
