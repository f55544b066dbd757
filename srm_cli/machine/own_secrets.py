"""Passwords and keys of this installation, generated once and stored in `SRM_HOME/secrets.json`.

The file's keys are names of environment variables, so that a manual `manage.py` run uses the values that the
supervisor passes to its processes. A variable in the environment takes precedence and is not stored.
"""

import base64
import json
import os
import secrets
from collections.abc import Callable, Mapping

from srm_cli.machine import embedded_redis
from srm_cli.machine.home import HomeFolder, read_object, write_private

_REDIS_URL = "SRM_REDIS_URL"


def ensure_secrets(folder: HomeFolder) -> dict[str, str]:
    """Read the secrets and generate missing ones; values of the environment take precedence."""
    known = read_object(folder.secrets_file)
    complete = dict(known)
    for name, make in _MAKERS.items():
        if not complete.get(name):
            complete[name] = make()
    if complete != known:
        write_private(folder.secrets_file, json.dumps(complete, indent=1))
    return complete | {name: os.environ[name] for name in (*_MAKERS, _REDIS_URL) if os.environ.get(name)}


def remember_embedded_redis(folder: HomeFolder, port: int) -> str:
    """Return the URL of the embedded server, and store it for manual commands."""
    known = read_object(folder.secrets_file)
    redis_url = embedded_redis.url(port=port, password=known["SRM_REDIS_PASSWORD"])
    if known.get(_REDIS_URL) != redis_url:
        write_private(folder.secrets_file, json.dumps({**known, _REDIS_URL: redis_url}, indent=1))
    return redis_url


def process_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a child process: this one's without the secrets, and `env`, which names its own."""
    inherited = {name: value for name, value in os.environ.items() if name not in (*_MAKERS, _REDIS_URL)}
    return {**inherited, **env}


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
