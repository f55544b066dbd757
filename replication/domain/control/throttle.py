"""Limits the bytes per second that a flow reads: a limit, a schedule over the day, and the bucket for both."""

import re
from dataclasses import dataclass

DAY_MINUTES = 24 * 60
_MINUTE_MS = 60_000
_UNITS = {"": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_SHOWN_UNITS = ("B", "kB", "MB", "GB")
_RATE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*([a-z]*?)(?:/s)?", re.IGNORECASE)
_WINDOW = re.compile(r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})\s*=\s*(.+)")
UNLIMITED = "unlimited"
MOST_BYTES_PER_SECOND = 10**15


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleWindow:
    """A range of every day (UTC) with its own limit; None lifts the limit. It may cross midnight."""

    from_minute: int
    to_minute: int
    bytes_per_second: int | None

    def covers(self, minute: int) -> bool:
        if self.from_minute < self.to_minute:
            return self.from_minute <= minute < self.to_minute
        return minute >= self.from_minute or minute < self.to_minute


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedLimit:
    """A limit that an operator ordered until a time."""

    bytes_per_second: int
    until_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle:
    """A flow's limit and schedule, of which each of its slots gets an equal share.

    An operator's limit that has an end is `ordered` until then, instead of `bytes_per_second`.
    """

    bytes_per_second: int | None = None
    ordered: OrderedLimit | None = None
    windows: tuple[ThrottleWindow, ...] = ()
    slots: int = 1

    def share_at(self, now_ms: int) -> int | None:
        """Bytes per second for one slot at this moment, None without a limit. The first window that holds wins."""
        minute = now_ms // _MINUTE_MS % DAY_MINUTES
        is_ordered = self.ordered is not None and now_ms < self.ordered.until_ms
        plain = self.ordered.bytes_per_second if self.ordered is not None and is_ordered else self.bytes_per_second
        limit = next((window.bytes_per_second for window in self.windows if window.covers(minute)), plain)
        return None if limit is None else max(1, limit // max(1, self.slots))


def parse_rate(text: str) -> int | None:
    """Return bytes per second from `10MB`, `512 KiB/s`, `1000`; None for `unlimited`. Raises ValueError."""
    cleaned = text.strip()
    if cleaned.lower() == UNLIMITED:
        return None
    match = _RATE.fullmatch(cleaned)
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None or not 1 <= (rate := int(float(match[1]) * unit)) <= MOST_BYTES_PER_SECOND:
        raise ValueError(f"{cleaned!r} is not a rate from 1 byte to 1000000GB per second, such as 10MB or {UNLIMITED}")
    return rate


def rate_text(bytes_per_second: int) -> str:
    """Return a rate for people with at most three significant digits, such as `2.5 MB/s`."""
    value, unit = float(bytes_per_second), _SHOWN_UNITS[0]
    for larger in _SHOWN_UNITS[1:]:
        if value < 999.5:
            break
        value, unit = value / 1_000, larger
    return f"{value:.3g} {unit}/s" if value < 999.5 else f"{value:,.0f} {unit}/s"


def parse_schedule(text: str) -> tuple[ThrottleWindow, ...]:
    """Return the windows of `08:00-18:00=10MB, ...`, times in UTC. ValueError names the wrong part."""
    return tuple(_window(part.strip()) for part in text.split(",") if part.strip())


def _window(part: str) -> ThrottleWindow:
    match = _WINDOW.fullmatch(part)
    if match is None:
        raise ValueError(f"{part!r} is not a window such as 08:00-18:00=10MB")
    first, last = _minute(match[1], match[2], part), _minute(match[3], match[4], part)
    if first == last:
        raise ValueError(f"{part!r} is empty: it ends when it begins")
    return ThrottleWindow(from_minute=first, to_minute=last % DAY_MINUTES, bytes_per_second=parse_rate(match[5]))


def _minute(hour: str, minute: str, part: str) -> int:
    total = int(hour) * 60 + int(minute)
    if int(minute) > 59 or total > DAY_MINUTES:
        raise ValueError(f"{part!r} has a time that does not exist")
    return total


BURST_S = 0.5
LEAST_BURST_BYTES = 16 * 1024


class TokenBucket:
    """Counts bytes against a rate that may change. A batch larger than the rate is let through and paid off after."""

    __slots__ = ("_balance", "_rate", "_seen_s")

    def __init__(self) -> None:
        self._rate: int | None = None
        self._balance = 0.0
        self._seen_s = 0.0

    @property
    def rate(self) -> int | None:
        """Bytes per second, None without a limit."""
        return self._rate

    def set_rate(self, rate: int | None, now_s: float) -> None:
        """A new limit starts with a full burst; debts made under the old one stay."""
        if rate == self._rate:
            return
        self._refill(now_s)
        if self._rate is None and rate is not None:
            self._balance = 0.0
        self._rate = rate

    def consume(self, size: int, now_s: float) -> None:
        """So many bytes were read."""
        if self._rate is not None:
            self._refill(now_s)
            self._balance -= size

    def wait_s(self, now_s: float) -> float:
        """Seconds until something may be read again, 0 when it may now."""
        if self._rate is None:
            return 0.0
        self._refill(now_s)
        return 0.0 if self._balance > -1 else -self._balance / self._rate  # less than a byte is no debt

    def most_bytes(self, ceiling: int, shared_by: int = 1) -> int:
        """Return the largest size of one fetch that keeps the stream even, of each of those that share the rate."""
        if self._rate is None:
            return ceiling
        return max(LEAST_BURST_BYTES, min(ceiling, int(self._rate * BURST_S / shared_by)))

    def _refill(self, now_s: float) -> None:
        if self._rate is not None:
            burst = max(LEAST_BURST_BYTES, self._rate * BURST_S)
            self._balance = min(burst, self._balance + max(0.0, now_s - self._seen_s) * self._rate)
        self._seen_s = now_s
