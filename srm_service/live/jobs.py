"""Maintenance job that notes the statuses of flows."""

import redis
import structlog
from celery import shared_task

from srm_service.live.status_times import note_statuses

NOTE_STATUSES = "srm.live.note_statuses"
_log = structlog.get_logger(__name__)


@shared_task(name=NOTE_STATUSES, expires=5)
def note_flow_statuses() -> int:
    """Note the status of each flow with its beginning; returns the number of flows."""
    try:
        return note_statuses()
    except redis.RedisError as error:
        _log.warning("statuses are not noted, the next run tries again", error=str(error))
        return 0
