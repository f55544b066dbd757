"""Checks that a document from Redis has the shape that the contracts give it (docs/contracts/live-state.md).

A document with a malformed field is rejected as a whole: one hostile or damaged report must not fail the list of all
flows, and half a report must not pass for a whole one. Unknown and absent fields are allowed.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from replication.domain.reporting.histogram import Histogram

_Check = Callable[[Any], bool]
_MOST_INT = 2**63


class MalformedDocumentError(ValueError):
    """The text names the field."""


def parsed_document(value: str | bytes, shape: Mapping[str, _Check]) -> dict[str, Any]:
    """Return a JSON object whose known fields fit the shape. Raises MalformedDocumentError."""
    try:
        document = orjson.loads(value)
    except orjson.JSONDecodeError as error:
        raise MalformedDocumentError(f"not JSON: {error}") from error
    if not isinstance(document, dict):
        raise MalformedDocumentError("not a JSON object")
    for name, fits in shape.items():
        if name in document and not fits(document[name]):
            raise MalformedDocumentError(f"field {name} has an invalid value")
    return document


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MOST_INT


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _or_null(fits: _Check) -> _Check:
    return lambda value: value is None or fits(value)


def _all(fits: _Check) -> _Check:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _record(**fields: _Check) -> _Check:
    """An object; the named fields fit where they are present."""
    return lambda value: (
        isinstance(value, dict) and all(fits(value[name]) for name, fits in fields.items() if name in value)
    )


def _counts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_whole, value.values()))


def _is_histogram(value: Any) -> bool:
    try:
        Histogram.from_list(value)
    except ValueError:
        return False
    return True


def _is_topic_rate(value: Any) -> bool:
    fits = (_is_text, _is_number, _is_number, _or_null(_is_whole), _is_whole)
    return isinstance(value, list) and len(value) >= len(fits) and all(map(_fits, fits, value))


def _fits(check: _Check, value: Any) -> bool:
    return check(value)


def _unless_object_fits(value: Any) -> bool:
    """Readers pass over what is no object."""
    return not isinstance(value, dict) or _REJECTED_RESET(value)


_REJECTED_RESET = _record(id=_is_text, error=_or_null(_is_text))
_CAUSE = _record(
    code=_is_text,
    text=_is_text,
    topic=_or_null(_is_text),
    partition=_or_null(_is_whole),
    since_ms=_or_null(_is_whole),
)
_NUMBERS = (
    "records_per_second",
    "bytes_per_second",
    "wire_bytes_per_second",
    "lag_offsets",
    "catch_up_ms",
    "time_to_loss_ms",
    "open_gaps",
    "topics",
    "partitions",
    "age_ms",
    "written_ms",
    "measured_ms",
    "group_lag",
    "last_round_ms",
)

LIVE_TASK: Mapping[str, _Check] = {
    **dict.fromkeys(("source", "target", "task", "kind", "driver", "state"), _is_text),
    **dict.fromkeys(("since_ms", "sent_ms"), _is_whole),
    **dict.fromkeys(_NUMBERS, _or_null(_is_number)),
    "applied_revision": _or_null(_is_whole),
    "cause": _or_null(_CAUSE),
    "last_error": _or_null(_CAUSE),
    "moved": _or_null(_record(at_ms=_is_whole, reason=_is_text, from_driver=_or_null(_is_text))),
    "generation": _is_whole,
    "states": _counts,
    "groups": _or_null(lambda value: _is_whole(value) or _counts(value)),  # of plans, of checkpoint tasks
    "latency": _is_histogram,
    "topic_rates": _all(_is_topic_rate),
    "limit": _or_null(_record(code=_is_text, text=_is_text)),
    "rejected": _all(_record(path=_is_text, error=_is_text, source=_is_text)),
    "done_resets": _all(_is_text),
    "rejected_resets": _all(_unless_object_fits),
    "source_reachable": _or_null(_is_flag),
    "target_reachable": _or_null(_is_flag),
}

DRIVER: Mapping[str, _Check] = {
    **dict.fromkeys(("id", "role"), _is_text),
    **dict.fromkeys(("parent", "host", "version", "boot"), _or_null(_is_text)),
    **dict.fromkeys(("pid", "capacity", "started_ms", "sent_ms", "rss_bytes"), _or_null(_is_whole)),
    **dict.fromkeys(("loop_lag_ms", "returning_until_ms"), _or_null(_is_whole)),
    "targets": _all(_is_text),
    "drain": _is_flag,
    "leaving": _is_flag,
    "returning_until_ms": _or_null(_is_whole),
    "cpu_ratio": _or_null(_is_number),
}

PLAN: Mapping[str, _Check] = {
    **dict.fromkeys(("source", "target"), _is_text),
    "topics": _all(_record(upstream=_is_text, remote=_is_text, partitions=_is_whole)),
    "skipped": _all(_record(topic=_is_text, reason=_is_text)),
    "slots": _all(lambda value: isinstance(value, list)),
}

STATUS: Mapping[str, _Check] = {"status": _is_text, "since_ms": _or_null(_is_whole), "noted_ms": _is_whole}
