"""Checks of single values by the kind their key has in the table."""

from collections.abc import Callable

from replication.config.findings import Findings
from replication.config.keys import KeySpec, ValueKind
from replication.config.model import Property
from replication.domain.errors import InvalidPatternError
from replication.domain.filters import split_list
from replication.domain.java_regex import compile_java

_BYTE_ARRAY = "org.apache.kafka.connect.converters.ByteArrayConverter"


def check_value(spec: KeySpec, prop: Property, findings: Findings) -> None:
    """Report what is wrong with a value; never raises."""
    problem = _CHECKS.get(spec.kind, _anything)(prop.value.strip())
    if problem is not None:
        findings.error(prop, problem)


def _anything(_: str) -> str | None:
    return None


def _boolean(value: str) -> str | None:
    return None if value.lower() in ("true", "false") else f"must be true or false, not {value!r}"


def _count(value: str) -> str | None:
    is_count = value.isascii() and value.isdigit() and int(value) > 0
    return None if is_count else f"must be a whole number above 0, not {value!r}"


def _replication_factor(value: str) -> str | None:
    is_known = value == "-1" or _count(value) is None
    return None if is_known else f"must be a number above 0, or -1 for the broker's default, not {value!r}"


def _location(value: str) -> str | None:
    return None if value in ("source", "target") else f"must be source or target, not {value!r}"


def _patterns(value: str) -> str | None:
    problems = []
    for pattern in split_list(value):
        try:
            compile_java(pattern)
        except InvalidPatternError as error:
            problems.append(error.text)
    return "; ".join(problems) or None


def _converter(value: str) -> str | None:
    return None if value == _BYTE_ARRAY else f"only {_BYTE_ARRAY} keeps records as they are; remove the key"


_CHECKS: dict[ValueKind, Callable[[str], str | None]] = {
    "boolean": _boolean,
    "count": _count,
    "number": _replication_factor,
    "location": _location,
    "patterns": _patterns,
    "converter": _converter,
}
