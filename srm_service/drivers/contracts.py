"""The data types in which the API sees orders to drivers."""

from dataclasses import dataclass

DRIVER_ID_PATTERN = r"^[A-Za-z0-9._-]{1,64}$"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainDto:
    """A drain; `expires_ms` None: until it is removed."""

    reason: str
    by: str
    since_ms: int
    expires_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartDto:
    """An announced restart: the tasks of the driver wait for it until `until_ms`."""

    id: str
    by: str
    since_ms: int
    until_ms: int
