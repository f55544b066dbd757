"""Publishes the driver orders to Redis: after each change, and every few seconds from the maintenance worker.

Revisions never go back, not even when the database is restored from a backup: the one in Redis counts as well.
"""

import hashlib
from dataclasses import replace

import redis
import structlog
from django.conf import settings
from django.db import transaction

from replication.config.security.signed_document import is_signed, signed
from replication.domain.desired.desired_drivers import (
    DesiredDrivers,
    Drain,
    DriverOrdersError,
    Restart,
    desired_drivers_from_json,
    desired_drivers_to_json,
)
from replication.domain.errors import ReplicationError
from srm_service.core.clock import now_ms
from srm_service.drivers.models import DriverDrain, DriverOrdersRevision, DriverRestart
from srm_service.drivers.selectors import drain_dto, restart_dto
from srm_service.wiring import REDIS_PREFIX, redis_client

KEY = f"{REDIS_PREFIX}drivers"
_ONLY_ROW = 1
_log = structlog.get_logger(__name__)


def publish_orders() -> bool:
    """Write the document unless Redis already holds it; nothing before the first order.

    Raises redis.RedisError when Redis cannot be reached.
    """
    client = redis_client()
    present = _published(client)
    if present is None and not _has_ever_ordered():
        return False
    with transaction.atomic():
        row, _ = DriverOrdersRevision.objects.select_for_update().get_or_create(pk=_ONLY_ROW)
        orders = _orders()
        fingerprint = hashlib.sha256(desired_drivers_to_json(orders).encode()).hexdigest()
        found = 0 if present is None else present.revision
        if row.fingerprint == fingerprint and found == row.revision:
            return False
        if row.fingerprint != fingerprint or found > row.revision:
            row.revision = max(row.revision, found) + 1
        row.fingerprint, row.published_ms = fingerprint, now_ms()
        row.save()
    document = replace(orders, revision=row.revision, published_ms=row.published_ms)
    client.set(KEY, signed(settings.SRM_TRANSPORT_KEYS, desired_drivers_to_json(document), "driver orders"))
    client.publish(f"{REDIS_PREFIX}nudge", f"drivers {row.revision}")
    _log.info("driver orders published", revision=row.revision, drains=len(orders.drains))
    return True


def publish_orders_quietly() -> bool:
    """Publish after an order; without Redis, the maintenance worker publishes the stored order later."""
    try:
        return publish_orders()
    except redis.RedisError as error:
        _log.warning("driver orders not published, redis does not answer, will be retried", error=str(error))
    except ReplicationError as error:
        _log.error("driver orders cannot be published", error=error.text)
    return False


def _has_ever_ordered() -> bool:
    return any(model.objects.exists() for model in (DriverOrdersRevision, DriverDrain, DriverRestart))


def _orders() -> DesiredDrivers:
    drains = {row.driver: drain_dto(row) for row in DriverDrain.objects.all()}
    restarts = {row.driver: restart_dto(row) for row in DriverRestart.objects.all()}
    return DesiredDrivers(
        revision=0,
        published_ms=0,
        drains={
            name: Drain(reason=one.reason, by=one.by, since_ms=one.since_ms, expires_ms=one.expires_ms)
            for name, one in drains.items()
        },
        restarts={name: Restart(id=one.id, until_ms=one.until_ms) for name, one in restarts.items()},
    )


def _published(client: redis.Redis) -> DesiredDrivers | None:
    """Return the document in Redis; None for one that is missing, damaged or not genuine."""
    stored = client.get(KEY)
    if stored is None:
        return None
    raw = stored.encode() if isinstance(stored, str) else bytes(stored)
    if not is_signed(settings.SRM_TRANSPORT_KEYS, raw, "driver orders"):
        return None
    try:
        return desired_drivers_from_json(raw)
    except DriverOrdersError:
        return None
