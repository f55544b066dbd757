"""Stored secrets that an edit of a cluster keeps: they go only where they were stored for."""

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from replication.config.security.secrets import is_secret_name
from replication.config.settings.prefixes import SECURITY_PREFIXES
from srm_service.configuration.contracts import SecretsNotSentError

_PROTOCOL = "security.protocol"


class StoredConnection(Protocol):
    """A stored cluster, or one that follows from a version of the property tree."""

    @property
    def bootstrap(self) -> tuple[str, ...]: ...

    @property
    def client(self) -> Mapping[str, str]: ...

    @property
    def secret_names(self) -> tuple[str, ...]: ...


def usable_secrets(
    stored: StoredConnection, bootstrap: Iterable[str], client: Mapping[str, str], given: Collection[str]
) -> tuple[str, ...]:
    """Return the stored secrets that the edit leaves as they are and needs. Raises SecretsNotSentError."""
    protocol = client.get(_PROTOCOL, "PLAINTEXT").upper()
    kept = [name for name in stored.secret_names if name not in given and _is_used(name, protocol)]
    if kept and not (set(bootstrap) <= set(stored.bootstrap) and _guarded(client) == _guarded(stored.client)):
        raise SecretsNotSentError(kept)
    return tuple(kept)


def _is_used(name: str, protocol: str) -> bool:
    if name.startswith("sasl."):
        return protocol.startswith("SASL")
    return protocol.endswith("SSL") if name.startswith("ssl.") else True


def _guarded(client: Mapping[str, str]) -> dict[str, str]:
    """The settings that decide who receives a secret, and how it is protected on the way."""
    return {
        name: value for name, value in client.items() if name.startswith(SECURITY_PREFIXES) and not is_secret_name(name)
    }
