"""The data types in which other apps see clusters."""

from dataclasses import dataclass, field
from datetime import datetime

from srm_service.core.description import Description


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDto:
    """A cluster without its secrets; `secret_names` lists those that are set, `problem` says why it cannot be used."""

    alias: str
    bootstrap: tuple[str, ...]
    client: dict[str, str]
    secret_names: tuple[str, ...] = ()
    problem: str = ""
    location: str
    changed_at: datetime
    description: Description = field(default_factory=Description)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAccess:
    """A cluster with decrypted secrets, for publishing and probing only, never for a response.

    `is_counted`: the metrics process counts what is copied into it.
    """

    alias: str
    bootstrap: tuple[str, ...]
    client: dict[str, str]
    secrets: dict[str, str] = field(repr=False)
    is_counted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveredFlow:
    """A flow that is not registered; `named_target` is the target's alias in the configuration of its writer."""

    source: str
    target: str
    named_target: str
    source_is_registered: bool
    first_seen_ms: int
    heartbeat_ms: int

    @property
    def key(self) -> str:
        return f"{self.source}->{self.target} {self.named_target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentCluster:
    """A cluster whose heartbeats could not be read; `age_ms` is the age of what is known of it."""

    alias: str
    error: str
    age_ms: int | None
