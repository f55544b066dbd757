"""The last valid driver orders, from Redis or from disk: this process's drain and its restarts."""

from collections.abc import Sequence

import structlog

from replication.config.security.signed_document import is_signed
from replication.domain.desired.desired_drivers import (
    DesiredDrivers,
    Drain,
    DriverOrdersError,
    Restart,
    desired_drivers_from_json,
)
from replication.worker.state.state_folder import StateFolder

log = structlog.get_logger(__name__)


class OrdersCache:
    """Used by the coordinator thread only."""

    def __init__(self, folder: StateFolder, transport_keys: Sequence[str], *, driver: str, parent: str) -> None:
        self._folder = folder
        self._keys = transport_keys
        self._driver = driver
        self._parent = parent
        self._seen: bytes | None = None
        self._orders: DesiredDrivers | None = None
        self._has_read = False  # Redis, once
        self._done: set[str] = set()

    def load_from_disk(self) -> None:
        """Load the orders of the last run; Redis overrides them as soon as it answers."""
        copy = self._folder.load_driver_orders()
        if copy is not None:
            self._apply(copy, are_done=True)

    def update(self, raw: bytes | None) -> None:
        """Apply the document in Redis (None: there is none). Restarts in the first one are older than this process."""
        is_first, self._has_read = not self._has_read, True
        if raw is None or raw == self._seen:
            return
        self._seen = raw
        if not is_signed(self._keys, raw, "driver orders"):
            log.warning("driver orders rejected: their signature is missing or wrong, check SRM_TRANSPORT_KEYS")
        elif self._apply(raw, are_done=is_first):
            self._folder.save_driver_orders(raw)

    def drain(self, now_ms: int) -> Drain | None:
        """Return the drain of this process that is in force."""
        return None if self._orders is None else self._orders.drain_of(self._driver, self._parent, now_ms)

    def take_restart(self) -> Restart | None:
        """Return a restart of this process that is not carried out yet, once."""
        orders = () if self._orders is None else self._orders.restarts_of(self._driver, self._parent)
        found = next((restart for restart in orders if restart.id not in self._done), None)
        if found is not None:
            self._done.add(found.id)
        return found

    def _apply(self, raw: bytes, *, are_done: bool) -> bool:
        try:
            orders = desired_drivers_from_json(raw)
        except DriverOrdersError as error:
            log.warning("driver orders rejected, the previous ones stay in force", error=str(error))
            return False
        if self._orders is not None and orders.is_replaced_by(self._orders):
            log.warning("driver orders rejected: newer ones are in force", revision=orders.revision)
            return False
        if are_done:
            self._done |= {restart.id for restart in orders.restarts_of(self._driver, self._parent)}
        self._orders = orders
        return True
