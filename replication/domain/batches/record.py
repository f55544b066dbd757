"""One record of a topic, as the source holds it."""

from collections.abc import Sequence
from typing import NamedTuple

NO_TIMESTAMP = -1

Headers = Sequence[tuple[str, bytes | None]]


class Record(NamedTuple):
    """`timestamp` in ms, NO_TIMESTAMP where the source has none (old message formats)."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers
