"""The types of settings' values, with one parser each.

A parser gets the text without blanks around it and raises ValueError; `allowed` completes "must be ...".
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from replication.domain.errors import InvalidPatternError
from replication.domain.names.filters import split_list
from replication.domain.names.topic_name import MAX_TOPIC_NAME, is_legal_topic_name
from replication.domain.patterns.linear_pattern import compile_java

T = TypeVar("T")
ValueT = TypeVar("ValueT", covariant=True)

ValueKind = Literal["boolean", "choice", "number", "milliseconds", "seconds", "text", "list", "patterns"]
LARGEST = 2**63 - 1  # Java's long
BROKER_DEFAULT = -1  # as a replication factor
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,19}(\.[0-9]{0,19})?")
_VERSION = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})")
_OLDEST_KAFKA = (2, 8)
_BYTE_ARRAY = "org.apache.kafka.connect.converters.ByteArrayConverter"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueType(Generic[ValueT]):
    """`has_parts`: the value is composed, and the parser's ValueError names the part that is wrong.

    `none` is the text whose value is None, where there is one. `choices` are the words of a choice.
    """

    parse: Callable[[str], ValueT]
    allowed: str
    has_parts: bool = False
    none: str = ""
    kind: ValueKind = "text"
    choices: tuple[str, ...] = ()


def shown(value: object) -> str:
    """Return a value as a file spells it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(map(shown, value))
    return "" if value is None else str(value)


def choice(*choices: T) -> ValueType[T]:
    """One of a few words, in upper or lower case."""
    words = {str(word): word for word in choices}

    def parse(text: str) -> T:
        if text.lower() not in words:
            raise ValueError
        return words[text.lower()]

    allowed = " or ".join(words) if len(words) == 2 else f"one of {', '.join(words)}"
    return ValueType(parse=parse, allowed=allowed, kind="choice", choices=tuple(words))


def whole(least: int, most: int = LARGEST) -> ValueType[int]:
    """A whole number within bounds."""

    def parse(text: str) -> int:
        if not _WHOLE.fullmatch(text) or not least <= int(text) <= most:
            raise ValueError
        return int(text)

    bounds = f"from {least} to {most}" if most < LARGEST else f"of at least {least}"
    return ValueType(parse=parse, allowed=f"a whole number {bounds}", kind="number")


def duration_ms(least: int, most: int = LARGEST) -> ValueType[int]:
    """A whole number of milliseconds."""
    number = whole(least, most)
    return ValueType(
        parse=number.parse, allowed=number.allowed.replace("number", "number of milliseconds"), kind="milliseconds"
    )


def duration_s(least: int) -> ValueType[int]:
    """A whole number of seconds."""
    number = whole(least)
    return ValueType(parse=number.parse, allowed=number.allowed.replace("number", "number of seconds"), kind="seconds")


def number_or(word: str, *, least: float, most: float) -> ValueType[float | None]:
    """A number within bounds, or a word that means None."""

    def parse(text: str) -> float | None:
        if text.lower() == word:
            return None
        if not _NUMBER.fullmatch(text) or not least <= float(text) <= most:
            raise ValueError
        return float(text)

    return ValueType(parse=parse, allowed=f"{word} or a number from {least:g} to {most:g}", none=word, kind="number")


def or_blank(values: ValueType[T]) -> ValueType[T | None]:
    """The same values, and None for an empty text: on a flow it withdraws a setting of another level."""

    def parse(text: str) -> T | None:
        return values.parse(text) if text else None

    return ValueType(
        parse=parse,
        allowed=f"{values.allowed} or empty",
        has_parts=values.has_parts,
        kind=values.kind,
        choices=values.choices,
    )


def _boolean(text: str) -> bool:
    """As Java's ConfigDef reads it."""
    if text.lower() not in ("true", "false"):
        raise ValueError
    return text.lower() == "true"


def _patterns(text: str) -> tuple[str, ...]:
    patterns = split_list(text)
    problems = []
    for pattern in patterns:
        try:
            compile_java(pattern)
        except InvalidPatternError as error:
            problems.append(error.text)
    if problems:
        raise ValueError("; ".join(problems))
    return patterns


def _topic_name(text: str) -> str | None:
    if text and not is_legal_topic_name(text):
        raise ValueError
    return text or None


def _factor(text: str) -> int:
    return BROKER_DEFAULT if text == str(BROKER_DEFAULT) else COUNT.parse(text)


def _kafka_version(text: str) -> tuple[int, int]:
    match = _VERSION.fullmatch(text)
    if match is None or (version := (int(match[1]), int(match[2]))) < _OLDEST_KAFKA:
        raise ValueError
    return version


def _converter(text: str) -> str:
    if text != _BYTE_ARRAY:
        raise ValueError
    return text


BOOLEAN = ValueType(parse=_boolean, allowed="true or false", kind="boolean", choices=("true", "false"))
COUNT = whole(1)
FACTOR = ValueType(parse=_factor, allowed="a whole number of at least 1, or -1 for the broker's default", kind="number")
TEXT = ValueType(parse=str, allowed="any text")
OPTIONAL_TEXT: ValueType[str | None] = ValueType(parse=lambda text: text or None, allowed=TEXT.allowed)
TOPIC_NAME: ValueType[str | None] = ValueType(
    parse=_topic_name, allowed=f"the name of a topic: at most {MAX_TOPIC_NAME} letters, digits, '.', '_' and '-'"
)
LIST = ValueType(parse=split_list, allowed="a list separated by commas", kind="list")
PATTERNS = ValueType(
    parse=_patterns, allowed="Java regular expressions separated by commas", has_parts=True, kind="patterns"
)
CLIENT_NUMBER = whole(-1)  # of Java's Kafka clients: -1 leaves it to the system
KAFKA_VERSION = ValueType(parse=_kafka_version, allowed="a Kafka version from 2.8 on, such as 3.9")
CONVERTER = ValueType(parse=_converter, allowed=f"{_BYTE_ARRAY}, which keeps records as they are")
