"""Replaces secrets in values before they are stored: by the name of their key, and passwords inside of texts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from replication.config.security.secrets import is_secret_name

REDACTED = "(hidden)"
_MORE_SECRETS = frozenset(["session_key", "authorization", "cookie"])
_NO_SECRETS = frozenset(["secret_names"])
_NAMES = ("name", "key")  # the fields that hold a key where a list holds properties as objects
_VALUES = ("value", "before", "after", "previous", "effective")
# Texts come from clients and may be long: no pattern tries a place twice.
_NAME = re.compile(r"""(?<![\w.-])([\w.-]++)["']?\s*+[=:]\s*+""")
_VALUE = re.compile(r"""(?x) "(?:[^"\\]|\\.)*+" | '(?:[^'\\]|\\.)*+' | [^\s;,&]+""")
_PROPERTY = re.compile(r"(?m)^([^\w\n]{0,20}[\w.>-]++[ \t]*+[=:])([ \t]*+)\S.*$")
_USER_INFO = re.compile(r"(?<=://)[^/\s@:]*+:[^/\s@]*+(?=@)")
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s++[A-Za-z0-9._~+/=-]{8,}+")


def redacted(value: Any) -> Any:
    """Return a copy for the trail and the log, in which each secret is replaced by `(hidden)`."""
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [redacted(each) for each in value]
    return redacted_text(value) if isinstance(value, str) else value


def redacted_text(text: str) -> str:
    """Return the text without the values of assignments to secrets, user info of URLs, and credentials of headers."""
    text = _BEARER.sub(lambda found: f"{found[1]} {REDACTED}", text)
    text = "".join(_without_assigned(text))
    return _USER_INFO.sub(REDACTED, text)


def redacted_comment(text: str) -> str:
    """Return the comment of a property without secrets; a line that was a property itself loses its whole value."""
    return redacted_text(_PROPERTY.sub(_without_value, text))


def _without_assigned(text: str) -> Iterator[str]:
    """Yield the text in parts; values behind names of secrets are replaced."""
    done = 0
    for name in _NAME.finditer(text):
        value = _VALUE.match(text, name.end()) if name.start() >= done and is_secret_name(name[1]) else None
        if value is not None:
            yield text[done : value.start()]
            yield REDACTED
            done = value.end()
    yield text[done:]


def _without_value(line: re.Match[str]) -> str:
    return f"{line[1]}{line[2]}{REDACTED}" if _is_secret(line[1].strip(" =:#!\t")) else line[0]


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
