"""The data types in which other apps see clusters."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDto:
    """A cluster without its secrets; `secret_names` lists those that are set, `problem` says why it cannot be used."""

    alias: str
    bootstrap: tuple[str, ...]
    client: dict[str, str]
    secret_names: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAccess:
    """A cluster with decrypted secrets, for publishing and probing only, never for a response."""

    alias: str
    bootstrap: tuple[str, ...]
    client: dict[str, str]
    secrets: dict[str, str] = field(repr=False)
