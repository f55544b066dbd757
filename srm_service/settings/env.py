"""Reads the process environment; the only module of the service that does.

A variable that is not set is read from `<SRM_HOME>/secrets.json`, so that a manual `manage.py` run uses the same
keys as the processes that the supervisor started.
"""

import json
import os
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from replication.domain.reporting.tile_retention import TileRetention, parse_retention

_env = environ.Env()


def state_folder() -> Path:
    """The folder that holds all state (`SRM_HOME`, default `.srm` in the working directory)."""
    return Path(os.environ.get("SRM_HOME") or ".srm").resolve()


def text(name: str, default: str = "") -> str:
    """The value of a variable, or else that in the secrets file, or else the default."""
    value = os.environ.get(name, "").strip()
    return value or _from_secrets_file(name) or default


def secret_list(name: str) -> tuple[str, ...]:
    """Comma-separated keys; the first encrypts, all decrypt."""
    return tuple(key.strip() for key in text(name).split(",") if key.strip())


def number(name: str, default: int) -> int:
    raw = text(name)
    if not raw:
        return default
    if not raw.isdigit():
        raise ImproperlyConfigured(f"{name} must be a whole number, not {raw!r}")
    return int(raw)


def switch(name: str) -> bool:
    """Return True for `true`; off without the variable."""
    raw = text(name, "false")
    if raw not in ("true", "false"):
        raise ImproperlyConfigured(f"{name} must be true or false, not {raw!r}")
    return raw == "true"


def days(name: str, *, least: int) -> int:
    """A number of days of at least this many; 0, the default, stands for no end."""
    found = number(name, 0)
    if 0 < found < least:
        raise ImproperlyConfigured(f"{name} must be at least {least} days, or 0 to keep everything; it is {found}")
    return found


def retention(name: str) -> TileRetention:
    """The retention of tiles, which the metrics process reads as well."""
    try:
        return parse_retention(text(name))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error


def names(name: str, default: tuple[str, ...]) -> list[str]:
    """A comma-separated list of names."""
    return [part.strip() for part in text(name).split(",") if part.strip()] or list(default)


def database(name: str, default_file: Path) -> dict[str, Any]:
    """Django's database dictionary of a URL; SQLite in the state folder when the variable is empty."""
    url = text(name)
    if not url:
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(default_file)}
    try:
        parsed: dict[str, Any] = _env.db_url_config(url)
    except Exception as error:
        raise ImproperlyConfigured(
            f"{name} is not a database URL (sqlite:///PATH or postgres://USER@HOST/NAME)"
        ) from error
    if not parsed.get("ENGINE"):
        raise ImproperlyConfigured(f"{name} is not a database URL (sqlite:///PATH or postgres://USER@HOST/NAME)")
    return parsed


def _from_secrets_file(name: str) -> str:
    path = state_folder() / "secrets.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(f"cannot read {path}: {error}; repair or delete it") from error
    value = content.get(name, "") if isinstance(content, dict) else ""
    return ",".join(value) if isinstance(value, list) else str(value)
