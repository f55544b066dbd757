"""Celery's consumer, reconnecting within seconds of Redis; the original backs off for up to half a minute."""

from typing import Any

import structlog
from celery.worker.consumer import Consumer
from celery.worker.state import maybe_shutdown

log = structlog.get_logger(__name__)
RETRY_START_S = 1.0
RETRY_MOST_S = 3.0


class RetryingConsumer(Consumer):
    """The consumer class for the setting `worker_consumer`."""

    def ensure_connected(self, conn: Any) -> Any:
        """Retry until connected or until the worker shuts down; the coordinator logs the outage."""

        def failed(error: Exception, interval_s: float) -> None:
            log.debug("celery cannot reach redis", error=str(error), retry_in_s=interval_s)

        return conn.ensure_connection(
            failed,
            None,
            interval_start=RETRY_START_S,
            interval_step=1.0,
            interval_max=RETRY_MOST_S,
            callback=maybe_shutdown,
        )
