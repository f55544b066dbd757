"""Encrypts secrets at rest: JSON under MultiFernet with `SRM_SECRET_KEYS`; the first key encrypts, all decrypt."""

import json
from collections.abc import Mapping, Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class SecretsUnreadableError(Exception):
    """The stored secrets were encrypted under a key that is not in `SRM_SECRET_KEYS` any more."""


def encrypt(values: Mapping[str, str]) -> str:
    """Return a token for the database; empty without values."""
    if not values:
        return ""
    return _box().encrypt(json.dumps(dict(values), sort_keys=True).encode()).decode()


def decrypt(token: str) -> dict[str, str]:
    """Return the values of a token. Raises SecretsUnreadableError."""
    if not token:
        return {}
    try:
        content = json.loads(_box().decrypt(token.encode()))
    except InvalidToken as error:
        raise SecretsUnreadableError(
            "stored secrets cannot be decrypted: add the key that encrypted them to SRM_SECRET_KEYS"
        ) from error
    return {str(key): str(value) for key, value in content.items()}


def _box() -> MultiFernet:
    keys: Sequence[str] = settings.SRM_SECRET_KEYS
    return MultiFernet([Fernet(key) for key in keys])
