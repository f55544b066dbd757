"""The share of the frame memory that each slot may fill while several want it."""

from collections.abc import Iterable


def water_level(demands: Iterable[int], limit: int) -> int:
    """Return the most bytes that one slot may hold (max-min fairness).

    Slots that want less than an equal share leave the rest to those that want more. Without contention it is `limit`.
    """
    waiting = sorted(demands)
    left = limit
    for index, demand in enumerate(waiting):
        share = left // (len(waiting) - index)
        if demand > share:
            return share
        left -= demand
    return limit
