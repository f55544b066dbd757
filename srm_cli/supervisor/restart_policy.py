"""The restart delays of a process that died. Pure: times are arguments."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

_FIRST_DELAY_SECONDS = 1.0
_LONGEST_DELAY_SECONDS = 30.0
_SLOW_DELAY_SECONDS = 60.0
_WINDOW_SECONDS = 60.0
_DEATHS_TO_GIVE_UP = 5
FATAL_EXITS_IN_A_ROW = 5  # 15 s after the first one: longer than a membership outlives its process


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStart:
    """The delay before the next start; `mode` slow means that an operator has to find out why it dies."""

    delay_seconds: float
    mode: Literal["quick", "slow"]


def next_start(deaths: Sequence[float], now: float, *, lived_seconds: float, was_slow: bool) -> NextStart:
    """Return delays that double from 1 to 30 s; after 5 deaths within a minute, one attempt per minute.

    The slow mode ends when the process has lived for a minute. `deaths` are the times of the latest deaths, this one
    included, on the clock of `now` (seconds).
    """
    recent = [at for at in deaths if now - at <= _WINDOW_SECONDS]
    gave_up_now = len(recent) >= _DEATHS_TO_GIVE_UP
    still_given_up = was_slow and lived_seconds < _WINDOW_SECONDS
    if gave_up_now or still_given_up:
        return NextStart(delay_seconds=_SLOW_DELAY_SECONDS, mode="slow")
    delay = _FIRST_DELAY_SECONDS * 2 ** max(0, len(recent) - 1)
    return NextStart(delay_seconds=min(delay, _LONGEST_DELAY_SECONDS), mode="quick")
