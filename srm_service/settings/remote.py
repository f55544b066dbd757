"""Settings of remote services: where this one is reached, and which others it may ask."""

import os
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from replication.domain.services.address import parse_address
from srm_service.settings import env

OFF = "none"
_INTERVAL_MS = (1_000, 3_600_000)
_TIMEOUT_MS = (100, 30_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteSettings:
    """`advertised` is the own address, empty if the service does not advertise itself; `allowed` are those of others.

    `ca_file` has the certificates that may sign those of other services; empty means those of the machine.
    """

    advertised: str = ""
    interval_ms: int = 10_000
    allowed: frozenset[str] = frozenset()
    ca_file: str = ""
    timeout_ms: int = 1_000


def remote_settings(*, default_address: str) -> RemoteSettings:
    """Return the settings from the environment. Raises ImproperlyConfigured."""
    advertised = env.text("SRM_ADVERTISED_ADDRESS", default_address)
    ca_file = env.text("SRM_REMOTE_CA_FILE")
    if ca_file and not (Path(ca_file).is_file() and os.access(ca_file, os.R_OK)):
        raise ImproperlyConfigured(f"SRM_REMOTE_CA_FILE: {ca_file} cannot be read")
    return RemoteSettings(
        advertised="" if advertised in ("", OFF) else _address("SRM_ADVERTISED_ADDRESS", advertised),
        interval_ms=_between("SRM_ADVERTISE_INTERVAL_MS", 10_000, _INTERVAL_MS),
        allowed=frozenset(_address("SRM_REMOTE_ADDRESSES", each) for each in env.names("SRM_REMOTE_ADDRESSES", ())),
        ca_file=ca_file,
        timeout_ms=_between("SRM_REMOTE_TIMEOUT_MS", 1_000, _TIMEOUT_MS),
    )


def local_address() -> str:
    """Return the address of a service that listens as SRM_HOST and SRM_PORT say, without a proxy."""
    host = env.text("SRM_HOST", "127.0.0.1")
    shown = f"[{host}]" if ":" in host else host
    return "" if host in ("0.0.0.0", "::") else f"http://{shown}:{env.number('SRM_PORT', 6670)}"  # noqa: S104 - compared


def _address(name: str, text: str) -> str:
    try:
        return parse_address(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error


def _between(name: str, default: int, bounds: tuple[int, int]) -> int:
    least, most = bounds
    value = env.number(name, default)
    if not least <= value <= most:
        raise ImproperlyConfigured(f"{name} must be from {least} to {most}, not {value}")
    return value
