"""Where a reset goes, as REST and the database write it."""

from typing import Any

from django.core.exceptions import ValidationError

from replication.domain.control import ResetTo, ToOffset, ToTimestamp

_MOST = 2**63 - 1
_EXPECTED = 'expected "earliest", "latest", {"offset": n} or {"timestamp_ms": n}'


def read_place(value: Any) -> ResetTo:
    """The same as a value of the domain. ValueError says what is expected."""
    if value == "earliest" or value == "latest":
        return "earliest" if value == "earliest" else "latest"
    if not isinstance(value, dict) or len(value) != 1:
        raise ValueError(_EXPECTED)
    name, number = next(iter(value.items()))
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= _MOST:
        raise ValueError(_EXPECTED)
    if name == "offset":
        return ToOffset(offset=number)
    if name == "timestamp_ms":
        return ToTimestamp(timestamp_ms=number)
    raise ValueError(_EXPECTED)


def validate_place(value: Any) -> None:
    """As a validator of a column."""
    try:
        read_place(value)
    except ValueError as error:
        raise ValidationError(str(error)) from error
