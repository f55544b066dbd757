"""Replaces secrets in values before they are stored: by the name of their key, and passwords inside of texts."""

import re
from collections.abc import Mapping
from typing import Any

from replication.config.security.secrets import is_secret_name

REDACTED = "(hidden)"
_MORE_SECRETS = frozenset(["session_key", "authorization", "cookie"])
_NO_SECRETS = frozenset(["secret_names"])
_NAMES = ("name", "key")  # the fields that hold a key where a list holds properties as objects
_VALUES = ("value", "before", "after", "previous", "effective")
_ASSIGNED = re.compile(
    r"""(?ix) ( \b[\w.-]* (?:password|passwd|passphrase|secret) [\w.-]* ["']? \s* [=:] \s* )
        ( "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | [^\s;,&]+ )"""
)
_USER_INFO = re.compile(r"(?<=://)[^/\s@]*:[^/\s@]*(?=@)")
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}")


def redacted(value: Any) -> Any:
    """Return a copy for the trail and the log, in which each secret is replaced by `(hidden)`."""
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [redacted(each) for each in value]
    return redacted_text(value) if isinstance(value, str) else value


def redacted_text(text: str) -> str:
    """Return the text without the values of assignments to secrets, user info of URLs, and credentials of headers."""
    text = _ASSIGNED.sub(lambda found: f"{found[1]}{REDACTED}", text)
    text = _USER_INFO.sub(REDACTED, text)
    return _BEARER.sub(lambda found: f"{found[1]} {REDACTED}", text)


def _object(values: Mapping[Any, Any]) -> dict[str, Any]:
    names_a_secret = any(isinstance(values.get(each), str) and _is_secret(values[each]) for each in _NAMES)
    shown: dict[str, Any] = {}
    for key, value in values.items():
        name = str(key)
        is_hidden = _is_secret(name) or (names_a_secret and name in _VALUES)
        shown[name] = _hidden(value) if is_hidden else redacted(value)
    return shown


def _is_secret(name: str) -> bool:
    plain = name.strip().lower()
    return plain not in _NO_SECRETS and (plain in _MORE_SECRETS or is_secret_name(plain))


def _hidden(value: Any) -> Any:
    """Return the replacement; that a value is missing may be shown."""
    return value if value is None or value == "" or isinstance(value, bool) else REDACTED
