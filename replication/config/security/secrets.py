"""Secrets of the desired document: a Fernet token over a JSON object of Java client keys."""

import json
from collections.abc import Mapping, Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from replication.domain.errors import ConfigurationError

_SECRET_WORDS = ("password", "secret", "jaas.config", "keystore.key", "credential", "token")


def is_secret_key(java_key: str) -> bool:
    """Return whether the value of a client key must never be shown or stored in the clear."""
    return any(word in java_key.lower() for word in _SECRET_WORDS)


def seal(keys: Sequence[str], values: Mapping[str, str]) -> str:
    """Encrypt with the first key. Raises ConfigurationError when there is no usable key."""
    return _fernet(keys).encrypt(json.dumps(dict(values), sort_keys=True).encode()).decode()


def open_sealed(keys: Sequence[str], token: str) -> dict[str, str]:
    """Decrypt with whichever key fits. Raises ConfigurationError when none does."""
    try:
        values = json.loads(_fernet(keys).decrypt(token.encode()))
    except InvalidToken as error:
        raise ConfigurationError(
            "the cluster's secret was encrypted with another key; give this process the same SRM_TRANSPORT_KEYS"
        ) from error
    return {str(key): str(value) for key, value in values.items()}


def _fernet(keys: Sequence[str]) -> MultiFernet:
    if not keys:
        raise ConfigurationError("SRM_TRANSPORT_KEYS is empty; it must hold at least one key")
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError as error:
        raise ConfigurationError(
            "SRM_TRANSPORT_KEYS holds something that is no key (32 bytes in URL-safe base64)"
        ) from error
