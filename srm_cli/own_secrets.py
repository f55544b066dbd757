"""Passwords and keys of this installation: made once, kept in `SRM_HOME/secrets.json`.

The file's keys are the names of the environment variables, so that `manage.py` run by hand finds what the supervisor
hands to its children. A variable set from outside wins and is not written down.
"""

import base64
import json
import os
import secrets
from collections.abc import Callable

from srm_cli import embedded_redis
from srm_cli.home import StateFolder, read_object, write_private

_REDIS_URL = "SRM_REDIS_URL"


def ensure_secrets(folder: StateFolder) -> dict[str, str]:
    """Read the file, add what it lacks, write it back when something was added; outside values are laid over it."""
    known = read_object(folder.secrets_file)
    complete = dict(known)
    for name, make in _MAKERS.items():
        if not complete.get(name):
            complete[name] = make()
    if complete != known:
        write_private(folder.secrets_file, json.dumps(complete, indent=1))
    return complete | {name: os.environ[name] for name in (*_MAKERS, _REDIS_URL) if os.environ.get(name)}


def remember_embedded_redis(folder: StateFolder, port: int) -> str:
    """The URL of the embedded server; written down for commands run by hand."""
    known = read_object(folder.secrets_file)
    redis_url = embedded_redis.url(port=port, password=known["SRM_REDIS_PASSWORD"])
    if known.get(_REDIS_URL) != redis_url:
        write_private(folder.secrets_file, json.dumps({**known, _REDIS_URL: redis_url}, indent=1))
    return redis_url


def uses_own_redis() -> bool:
    return not os.environ.get(_REDIS_URL)


def _fernet_key() -> str:
    return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()


_MAKERS: dict[str, Callable[[], str]] = {
    "SRM_REDIS_PASSWORD": lambda: secrets.token_urlsafe(24),
    "SRM_TRANSPORT_KEYS": _fernet_key,
    "SRM_SECRET_KEYS": _fernet_key,
    "SRM_DJANGO_SECRET_KEY": lambda: secrets.token_urlsafe(48),
}
