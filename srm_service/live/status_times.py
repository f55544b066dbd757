"""Notes the status of each flow with its beginning in Redis, where every process of the service reads it."""

from typing import Any

import orjson

from srm_service.monitoring.flows.live_state import NOTED_STATUSES, REDIS_PEER
from srm_service.monitoring.flows.overview import overview
from srm_service.wiring import redis_client

_LIFE_S = 7 * 24 * 3_600


def note_statuses() -> int:
    """Note the present statuses of the flows of this service; returns their number. One process does so.

    Nothing is noted while reports may be missing. Raises redis.RedisError.
    """
    now = overview()
    if any(part.peer == REDIS_PEER for part in now.partial):
        return 0
    noted: dict[Any, Any] = {
        flow.key: orjson.dumps(
            {"status": flow.status.status, "since_ms": flow.status.since_ms, "noted_ms": now.as_of_ms}
        )
        for flow in now.flows
    }
    pipe = redis_client().pipeline(transaction=True)
    pipe.delete(NOTED_STATUSES)
    if noted:
        pipe.hset(NOTED_STATUSES, mapping=noted)
        pipe.expire(NOTED_STATUSES, _LIFE_S)
    pipe.execute()
    return len(noted)
