"""The schedule of a flow's audits: an interval or a time of day. Times are UTC.

`6h`, `90m`, `2d`: so long after the last one. `daily 02:30`, `sunday 02:30`: at that time. An empty text: no audit
begins automatically.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_INTERVAL = re.compile(r"(\d{1,6})([mhd])")
_AT = re.compile(r"(daily|" + "|".join(_DAYS) + r") ([01]\d|2[0-3]):([0-5]\d)")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_SHORTEST, _LONGEST = timedelta(minutes=10), timedelta(days=366)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSchedule:
    """Either an interval or a time of day, on one day of the week or on all."""

    interval: timedelta | None = None
    weekday: int | None = None
    hour: int = 0
    minute: int = 0

    def is_due(self, last: datetime | None, now: datetime) -> bool:
        """Return whether an audit should have begun since the last one. Without a last one an interval is due."""
        if self.interval is not None:
            return last is None or now - last >= self.interval
        at = self._latest(now)
        return now - at < timedelta(hours=1) and (
            last is None or last < at
        )  # what is long past waits for the next time

    def _latest(self, now: datetime) -> datetime:
        """The last moment not after now at which the clock showed that time."""
        at = now.replace(hour=self.hour, minute=self.minute, second=0, microsecond=0)
        while at > now or self.weekday not in (None, at.weekday()):
            at -= timedelta(days=1)
        return at


def parse_audit_schedule(text: str) -> AuditSchedule | None:
    """Return the schedule, None for an empty text. Raises ValueError."""
    words = " ".join(text.lower().split())
    if not words:
        return None
    interval = _INTERVAL.fullmatch(words)
    if interval:
        every = timedelta(**{_UNITS[interval[2]]: int(interval[1])})
        if _SHORTEST <= every <= _LONGEST:
            return AuditSchedule(interval=every)
    at = _AT.fullmatch(words)
    if at:
        weekday = None if at[1] == "daily" else _DAYS.index(at[1])
        return AuditSchedule(weekday=weekday, hour=int(at[2]), minute=int(at[3]))
    raise ValueError(f"{text!r} is not a schedule of audits")
