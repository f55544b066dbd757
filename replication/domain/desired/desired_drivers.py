"""The driver orders: drains and announced restarts of drivers (docs/contracts/driver-orders.md).

An order names a driver by its id, and so means all of its processes, or by the id of one process.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from replication.domain.desired.json_reader import JsonReader
from replication.domain.json_documents import read_json

DRIVER_ORDERS_VERSION = 1
_Order = TypeVar("_Order")


class DriverOrdersError(ValueError):
    """The document cannot be read; keep the previous one and report it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """An order to move all tasks away from a driver, in force until it is removed or expires."""

    reason: str
    by: str
    since_ms: int
    expires_ms: int | None = None

    def is_in_force(self, now_ms: int) -> bool:
        return self.expires_ms is None or now_ms < self.expires_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """An order to restart once; until `until_ms` the driver's tasks wait for its return.

    The tasks of a flow wait at most `srm.rebalance.delay.ms`. A process carries out each id once. Ids in the first
    document that it reads are older than the process.
    """

    id: str
    until_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DesiredDrivers:
    """All orders to drivers; `revision` grows with each publication."""

    revision: int
    published_ms: int
    drains: Mapping[str, Drain] = field(default_factory=dict)
    restarts: Mapping[str, Restart] = field(default_factory=dict)

    def drain_of(self, driver: str, parent: str, now_ms: int) -> Drain | None:
        """Return the drain of a process that is in force."""
        found = (self.drains.get(name) for name in (driver, parent))
        return next((drain for drain in found if drain is not None and drain.is_in_force(now_ms)), None)

    def restarts_of(self, driver: str, parent: str) -> tuple[Restart, ...]:
        """Return the restarts of a process."""
        found = (self.restarts.get(name) for name in dict.fromkeys((driver, parent)))
        return tuple(restart for restart in found if restart is not None)

    def is_replaced_by(self, other: "DesiredDrivers") -> bool:
        """Return True for a document that was in force before the other one, although its signature is valid.

        A service whose database was restored publishes lower revisions, but later.
        """
        return self.revision < other.revision and self.published_ms <= other.published_ms


def desired_drivers_to_json(document: DesiredDrivers) -> str:
    """Return the document as it is published, without its signature."""
    drains = {
        name: {"reason": drain.reason, "by": drain.by, "since_ms": drain.since_ms, "expires_ms": drain.expires_ms}
        for name, drain in sorted(document.drains.items())
    }
    restarts = {
        name: {"id": restart.id, "until_ms": restart.until_ms} for name, restart in sorted(document.restarts.items())
    }
    fields = {
        "v": DRIVER_ORDERS_VERSION,
        "revision": document.revision,
        "published_ms": document.published_ms,
        "drains": drains,
        "restarts": restarts,
    }
    return json.dumps(fields, separators=(",", ":"))


def desired_drivers_from_json(text: str | bytes) -> DesiredDrivers:
    """Read a published document. Raises DriverOrdersError."""
    try:
        fields = JsonReader(read_json(text))
        _check_version(fields.integer("v"))
        return DesiredDrivers(
            revision=fields.integer("revision", least=0),
            published_ms=fields.integer("published_ms", least=0),
            drains=_orders(fields, "drains", _drain),
            restarts=_orders(fields, "restarts", _restart),
        )
    except DriverOrdersError:
        raise
    except ValueError as error:
        raise DriverOrdersError(f"the driver orders cannot be read: {error}") from error


def _check_version(version: int) -> None:
    if version > DRIVER_ORDERS_VERSION:
        raise DriverOrdersError(
            f"the driver orders have version {version}, this program reads {DRIVER_ORDERS_VERSION}: upgrade the driver"
        )


def _orders(fields: JsonReader, name: str, read: Callable[[JsonReader], _Order]) -> dict[str, _Order]:
    group = fields.nested_or_none(name)
    if group is None:
        return {}
    return {driver: read(JsonReader(value, group.path(driver))) for driver, value in group.members()}


def _drain(fields: JsonReader) -> Drain:
    return Drain(
        reason=fields.text("reason", ""),
        by=fields.text("by", ""),
        since_ms=fields.integer("since_ms"),
        expires_ms=fields.integer_or_none("expires_ms"),
    )


def _restart(fields: JsonReader) -> Restart:
    return Restart(id=fields.text("id"), until_ms=fields.integer("until_ms"))
