"""The data types in which the API sees orders to drivers."""

from dataclasses import dataclass
from typing import Annotated

DRIVER_ID_PATTERN = r"^[A-Za-z0-9._-]{1,64}$"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainDto:
    """A drain; `expires_ms` None: until it is removed."""

    reason: str
    by: str
    since_ms: int
    expires_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneProcess:
    """A driver process that reported before and no longer does. A killed one is listed after its successor started."""

    id: str
    parent: Annotated[str, "id of the driver that the process belonged to"]
    role: str
    host: str | None
    pid: Annotated[int | None, "of the process on its host"]
    version: str | None
    first_seen_ms: int
    last_seen_ms: int
    restarted: Annotated[bool, "a process of this id and role reports again"]
    left: Annotated[bool, "its last report said that it stops; false: it fell silent"]
    tasks: Annotated[int, "that it ran at its last report"]

    @property
    def key(self) -> str:
        return f"{self.id}:{self.role}:{self.first_seen_ms}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartDto:
    """An announced restart: the tasks of the driver wait for it until `until_ms`."""

    id: str
    by: str
    since_ms: int
    until_ms: int
