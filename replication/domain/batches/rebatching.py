"""Decides when the small batches of a partition are merged into large ones.

A broker takes one batch per partition and request, so small batches cost a request each, and a long way to the target
bounds how many of them arrive per second. Merging costs a pass over every record instead.
"""

from typing import Literal

RebatchingMode = Literal["adaptive", "always", "off"]

FEW_RECORDS = 16  # passing a batch on costs about as much as merging that many records
SMALL_BYTES = 16 * 1024
LARGEST_SMALL_BYTES = 256 * 1024
NEAR_MS = 20.0  # up to this round trip SMALL_BYTES is what small means; beyond it grows in proportion
BACKLOG_BATCHES = 10  # waiting in front of the target: twice what may be in flight
LEAVE_FACTOR = 2  # hysteresis: batches must be that much larger, or records more, to be passed on again
CALM_ANSWERS = 50  # answers without backlog until merging for the backlog's sake ends
CROWDED_BATCHES = 8  # so many small batches wait in the queue: let the next ones gather at the source
ROOMY_BATCHES = 2  # so few: fetch what gathered, to be merged
_WEIGHT = 0.2  # of the newest answer in the means


def small_bytes(round_trip_ms: float) -> float:
    """Return the size of a small batch at this distance from the target."""
    return min(LARGEST_SMALL_BYTES, SMALL_BYTES * max(1.0, round_trip_ms / NEAR_MS))


class Rebatching:
    """The state of one partition: means of its source batches, and whether they are merged now."""

    __slots__ = ("_backlogged", "_calm", "is_on", "mean_bytes", "mean_records", "mode")

    def __init__(self, mode: RebatchingMode) -> None:
        self.mode: RebatchingMode = mode
        self._backlogged = False
        self._calm = 0
        self.is_on = mode == "always"
        self.mean_bytes: float | None = None
        self.mean_records: float | None = None

    def observe(self, *, batches: int, records: int, size_bytes: int, waiting: int, round_trip_ms: float) -> bool:
        """One fetch answer brought so many batches, `waiting` more are in the queue. True: merge them."""
        if self.mode != "adaptive" or batches <= 0:
            return self.is_on
        self.mean_bytes = _blend(self.mean_bytes, size_bytes / batches)
        self.mean_records = _blend(self.mean_records, records / batches)
        self._note_backlog(waiting + batches >= BACKLOG_BATCHES)
        slack = LEAVE_FACTOR if self.is_on else 1
        is_cheaper = self.mean_records <= FEW_RECORDS * slack
        is_starving = self._backlogged and self.mean_bytes <= small_bytes(round_trip_ms) * slack
        self.is_on = (is_cheaper and self.mean_bytes <= SMALL_BYTES * slack) or is_starving
        return self.is_on

    def _note_backlog(self, is_behind: bool) -> None:
        self._calm = 0 if is_behind else self._calm + 1
        self._backlogged = is_behind or (self._backlogged and self._calm < CALM_ANSWERS)


def _blend(mean: float | None, newest: float) -> float:
    return newest if mean is None else mean + _WEIGHT * (newest - mean)
