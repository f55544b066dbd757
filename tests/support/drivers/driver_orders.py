"""Publishes driver orders as a service does."""

import time
from collections.abc import Mapping

from redis import Redis

from replication.config.security.signed_document import signed
from replication.domain.desired.desired_drivers import DesiredDrivers, Drain, Restart, desired_drivers_to_json
from replication.worker.state import keys


def publish_orders(
    client: Redis, transport_key: str, revision: int, drains: Mapping[str, Drain], restarts: Mapping[str, Restart]
) -> None:
    """Replace the document of driver orders, then nudge the drivers."""
    client.set(keys.DRIVER_ORDERS, orders_document(transport_key, revision, drains, restarts))
    client.publish(keys.NUDGE_CHANNEL, f"drivers {revision}")


def orders_document(
    transport_key: str, revision: int, drains: Mapping[str, Drain], restarts: Mapping[str, Restart]
) -> bytes:
    orders = DesiredDrivers(
        revision=revision, published_ms=time.time_ns() // 1_000_000, drains=drains, restarts=restarts
    )
    return signed([transport_key], desired_drivers_to_json(orders), "driver orders").encode()
