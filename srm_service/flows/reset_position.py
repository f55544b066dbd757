"""The position of a reset in the form of REST and the database."""

from typing import Any

from django.core.exceptions import ValidationError

from replication.domain.control.orders import ResetTo, ToOffset, ToTimestamp
from replication.domain.offsets.start_position import LOG_ENDS

_MOST = 2**63 - 1
_EXPECTED = 'expected "earliest", "latest", {"offset": n} or {"timestamp_ms": n}'


def parse_position(value: Any) -> ResetTo:
    """Parse a position into its domain type. Raises ValueError naming the expected forms."""
    for end in LOG_ENDS:
        if value == end:
            return end
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


def validate_position(value: Any) -> None:
    """The column validator of a position."""
    try:
        parse_position(value)
    except ValueError as error:
        raise ValidationError(str(error)) from error
