"""Advertisements of services: key the service id, value JSON (docs/contracts/service-advertisement.md)."""

import json
import re
from typing import Any

from replication.domain.errors import MalformedRecordError
from replication.domain.json_documents import read_json
from replication.domain.services.advertisement import Advertisement, ServiceProtocol

VERSION = 1
_PROTOCOLS: dict[str, ServiceProtocol] = {"http": "http", "https": "https"}
_HOST = re.compile(r"[0-9A-Za-z._-]{1,253}|[0-9A-Fa-f:.]{2,45}")
_ROOT_PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[0-9A-Za-z._~-]+)*/?")
_LAST_PORT = 65535
_LONGEST_TEXT = 200
_LONGEST_PLACE = 253  # of a host name
_LONGEST_INTERVAL_MS = 3_600_000


def encode_advertisement(advertisement: Advertisement) -> tuple[bytes, bytes]:
    """Return key and value."""
    value = {
        "v": VERSION,
        "id": advertisement.id,
        "protocol": advertisement.protocol,
        "host": advertisement.host,
        "port": advertisement.port,
        "root_path": advertisement.root_path,
        "targets": list(advertisement.targets),
        "version": advertisement.version,
        "started_ms": advertisement.started_ms,
        "sent_ms": advertisement.sent_ms,
        "interval_ms": advertisement.interval_ms,
    }
    return advertisement.id.encode(), json.dumps(value, separators=(",", ":")).encode()


def decode_advertisement(key: bytes | None, value: bytes) -> Advertisement:
    """Raises MalformedRecordError with the field at fault; unknown fields are accepted."""
    try:
        fields = read_json(value)
    except ValueError as error:
        raise MalformedRecordError("service advertisement: the value is not JSON") from error
    if not isinstance(fields, dict):
        raise MalformedRecordError("service advertisement: the value is not a JSON object")
    _check_version(fields)
    advertisement = _read(fields)
    if advertisement.id.encode() != key:
        raise MalformedRecordError("service advertisement: `id` is not the key of the record")
    return advertisement


def _read(fields: dict[str, Any]) -> Advertisement:
    protocol = _PROTOCOLS.get(_text(fields, "protocol"))
    if protocol is None:
        raise _wrong("protocol", "http or https")
    return Advertisement(
        id=_text(fields, "id"),
        protocol=protocol,
        host=_matching(fields, "host", _HOST, "a host name or an IP address"),
        port=_number(fields, "port", 1, _LAST_PORT),
        root_path=_matching(fields, "root_path", _ROOT_PATH, "empty or a path that begins with /"),
        targets=_targets(fields),
        version=_text(fields, "version"),
        started_ms=_number(fields, "started_ms", 0),
        sent_ms=_number(fields, "sent_ms", 0),
        interval_ms=_number(fields, "interval_ms", 1, _LONGEST_INTERVAL_MS),
    )


def _check_version(fields: dict[str, Any]) -> None:
    version = fields.get("v")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise MalformedRecordError(f"service advertisement: version {str(version)[:20]}; upgrade the older service")


def _targets(fields: dict[str, Any]) -> tuple[str, ...]:
    targets = fields.get("targets")
    if not isinstance(targets, list) or not targets:
        raise _wrong("targets", "a list of cluster aliases")
    return tuple(_checked("targets", target) for target in targets)


def _text(fields: dict[str, Any], name: str) -> str:
    return _checked(name, fields.get(name))


def _checked(name: str, value: Any) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_TEXT or not value.isprintable():
        raise _wrong(name, f"printable text of 1 to {_LONGEST_TEXT} characters")
    return value


def _matching(fields: dict[str, Any], name: str, pattern: re.Pattern[str], expected: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or len(value) > _LONGEST_PLACE or pattern.fullmatch(value) is None:
        raise _wrong(name, expected)
    return value


def _number(fields: dict[str, Any], name: str, least: int, most: int = 2**63 - 1) -> int:
    value = fields.get(name)
    if type(value) is not int or not least <= value <= most:
        raise _wrong(name, f"a whole number from {least} to {most}")
    return value


def _wrong(name: str, expected: str) -> MalformedRecordError:
    return MalformedRecordError(f"service advertisement: `{name}` must be {expected}")
