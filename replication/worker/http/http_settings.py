"""The settings of the HTTP port: where it listens, and the certificate of HTTPS.

`mm.rest.protocol` and `listeners.https.*` have the meaning of Kafka Connect's and are read from a properties file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from replication.config.files.java_properties import PropertiesSyntaxError, parse_properties
from replication.config.files.providers import ProviderError, resolve
from replication.config.security.keystores import StoreError
from replication.config.security.tls import TlsSettings, read_material, read_tls
from replication.domain.settings.registry.other_components import REST_PROTOCOL

PROTOCOL = REST_PROTOCOL.key
PREFIX = "listeners.https."
ALL_ADDRESSES = "0.0.0.0"  # noqa: S104 - probes of a container come from outside
ClientAuth = Literal["none", "requested", "required"]
_ADDRESS = re.compile(r"(?:(?P<host>\[[0-9a-fA-F:.]+\]|[^:\[\]]+):)?(?P<port>[0-9]{1,5})")
_HIGHEST_PORT = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """Port 0 is any free one. `tls` is None for plain HTTP."""

    host: str = ALL_ADDRESSES
    port: int
    tls: TlsSettings | None = None
    client_auth: ClientAuth = "none"


def read_http_settings(environment: Mapping[str, str]) -> HttpSettings | None:
    """Return the settings of the HTTP port, None if it is off. Raises ValueError, which names the variable."""
    value = environment.get("SRM_DRIVER_HTTP_PORT", "").strip()
    if not value:
        return None
    match = _ADDRESS.fullmatch(value)
    if match is None or int(match["port"]) > _HIGHEST_PORT:
        raise ValueError(
            f"SRM_DRIVER_HTTP_PORT={value!r}: set it to a port such as 9404, to 127.0.0.1:9404, or to 0 for any free "
            "one"
        )
    host = (match["host"] or ALL_ADDRESSES).strip("[]")
    path = environment.get("SRM_DRIVER_HTTP_CONFIG", "").strip()
    if not path:
        return HttpSettings(host=host, port=int(match["port"]))
    try:
        tls, client_auth = _https(_properties(Path(path)))
    except ValueError as error:
        raise ValueError(f"SRM_DRIVER_HTTP_CONFIG={path}: {error}") from error
    return HttpSettings(host=host, port=int(match["port"]), tls=tls, client_auth=client_auth)


def _properties(path: Path) -> Mapping[str, str]:
    try:
        text = path.read_text(encoding="utf-8")
        found = {each.key: each.value for each in parse_properties(text)}
        return {key: resolve(value) for key, value in found.items() if key == PROTOCOL or key.startswith(PREFIX)}
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from error
    except (PropertiesSyntaxError, ProviderError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from error


def _https(properties: Mapping[str, str]) -> tuple[TlsSettings | None, ClientAuth]:
    protocol = properties.get(PROTOCOL, "http").strip().lower()
    if protocol not in ("http", "https"):
        raise ValueError(f"{PROTOCOL}={protocol}: set it to http or https")
    if protocol == "http":
        return None, "none"
    ssl = {key.removeprefix(PREFIX): value for key, value in properties.items() if key.startswith(PREFIX)}
    tls = read_tls(lambda name: ssl.get(name, "").strip() or None, ssl)
    if tls.identity is None:
        raise ValueError(f"{PROTOCOL}=https needs a certificate: set {PREFIX}ssl.keystore.location")
    try:
        read_material(tls)
    except StoreError as error:
        raise ValueError(f"{PREFIX}{error}") from error
    return tls, _client_auth(ssl.get("ssl.client.auth", "").strip().lower() or "none")


def _client_auth(value: str) -> ClientAuth:
    known: ClientAuth | None = next((each for each in get_args(ClientAuth) if each == value), None)
    if known is None:
        raise ValueError(f"{PREFIX}ssl.client.auth={value}: set it to none, requested or required")
    return known
