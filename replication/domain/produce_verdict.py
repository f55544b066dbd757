"""What a Produce answer means for one batch."""

from enum import Enum

DUPLICATE_SEQUENCE = 46
OUT_OF_ORDER_SEQUENCE = 45

_FENCED = frozenset({47, 49, 90})
_RETRY = frozenset({-1, 2, 3, 5, 6, 7, 9, 13, 19, 20, 56, 74, 75, 84, 100, 103})
_REFUSED_RIGHTS = frozenset({29, 53, 58})


class ProduceVerdict(Enum):
    """DONE: on the target. RETRY: the same bytes again. FENCED: the slot has another owner. REFUSED: never as it is."""

    DONE = "done"
    RETRY = "retry"
    OUT_OF_ORDER = "out of order"
    DENIED = "denied"
    FENCED = "fenced"
    REFUSED = "refused"


def verdict(error_code: int) -> ProduceVerdict:
    """By Kafka error code; unknown ones count as refused, which stops one partition and says so."""
    if error_code in (0, DUPLICATE_SEQUENCE):
        return ProduceVerdict.DONE
    if error_code in _FENCED:
        return ProduceVerdict.FENCED
    if error_code in _RETRY:
        return ProduceVerdict.RETRY
    if error_code == OUT_OF_ORDER_SEQUENCE:
        return ProduceVerdict.OUT_OF_ORDER
    if error_code in _REFUSED_RIGHTS:
        return ProduceVerdict.DENIED
    return ProduceVerdict.REFUSED
