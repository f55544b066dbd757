"""What other apps get to know about clusters."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDto:
    """A cluster without its secrets; `secret_names` tells which are set."""

    alias: str
    bootstrap: tuple[str, ...]
    client: dict[str, str]
    secret_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAccess:
    """A cluster with its secrets in the clear: for publishing and probing only, never for an answer."""

    alias: str
    bootstrap: tuple[str, ...]
    client: dict[str, str]
    secrets: dict[str, str] = field(repr=False)
