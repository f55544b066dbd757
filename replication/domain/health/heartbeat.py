"""Decides when a heartbeat is due, and keeps the state of the last one."""

from dataclasses import dataclass

READ_EVERY_MS = 5_000  # arrivals are read so often at least
_SHORTEST_MS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatState:
    """The live state of a heartbeat task; the others are None until a heartbeat has passed the flow.

    `age_ms` is of the last look. `written_ms` says when the newest heartbeat was written: its age grows with the clock
    while the target does not answer, too.
    """

    last_sent_ms: int | None
    age_ms: int | None
    written_ms: int | None = None


def is_due(last_sent_ms: int | None, interval_ms: int, now_ms: int) -> bool:
    """A clock set back counts as a reason to send, otherwise a flow would seem dead until the clock caught up."""
    return last_sent_ms is None or now_ms < last_sent_ms or now_ms - last_sent_ms >= interval_ms


def next_beat_ms(last_sent_ms: int | None, interval_ms: int, now_ms: int) -> int:
    """Return the time from now to the next heartbeat, or to the next reading of arrivals if that is earlier."""
    left_ms = 0 if last_sent_ms is None else last_sent_ms + interval_ms - now_ms
    return max(_SHORTEST_MS, min(left_ms, READ_EVERY_MS))


def age_ms(written_ms: int, now_ms: int) -> int:
    """Clocks differ between clusters: a heartbeat from the future is new, not of negative age."""
    return max(0, now_ms - written_ms)
