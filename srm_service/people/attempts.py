"""Limits how often credentials may be tried, per name and per address. All web processes share the counters.

An attempt is counted before the password is verified, so that attempts at the same time cannot exceed a limit. One
address cannot keep others from a name: it is refused long before the limit of the name.
"""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from srm_service.people.models import LoginAttempts
from srm_service.trail.contracts import Actor, TrailSubject
from srm_service.trail.services import record

WINDOW = timedelta(minutes=5)
MOST_OF_NAME_AND_ADDRESS = 10
MOST_OF_NAME = 50
MOST_OF_ADDRESS = 100


class TooManyAttemptsError(Exception):
    """Credentials were tried too often; `wait_s` is the time until they may be tried again."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(f"too many attempts to log in: wait {wait_s} s, or ask an admin to unlock the user")
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class _Counter:
    name_digest: str
    address: str
    most: int


def attempt_begin(name: str, address: str) -> None:
    """Count an attempt. Raises TooManyAttemptsError, and then counts nothing."""
    now = timezone.now()
    with transaction.atomic():
        rows = [_row(counter, now) for counter in _counters(name, address)]
        _refuse_if_full(rows, now)
        for counter, row in rows:
            row.attempts += 1
            row.save(update_fields=["attempts", "until"])
            if row.attempts == counter.most:
                _record_limit(row, address)


def attempt_check(name: str, address: str) -> None:
    """Raise TooManyAttemptsError if another attempt would be refused; counts nothing."""
    now = timezone.now()
    rows = [(counter, row) for counter in _counters(name, address) if (row := _find(counter, now)) is not None]
    _refuse_if_full(rows, now)


def attempt_succeeded(name: str, address: str) -> None:
    """Forget the attempts of this name, and the one that succeeded of the address."""
    digest = _digest(name)
    LoginAttempts.objects.filter(name_digest=digest, address__in=["", address]).delete()
    LoginAttempts.objects.filter(name_digest="", address=address, attempts__gt=0).update(attempts=F("attempts") - 1)


def attempts_forget(*, name: str = "", address: str = "") -> int:
    """Forget the attempts of a name from all addresses, or those of an address; returns the number of counters."""
    counters = LoginAttempts.objects.filter(name_digest=_digest(name)) if name else LoginAttempts.objects.none()
    deleted = counters.delete()[0]
    if address:
        deleted += LoginAttempts.objects.filter(address=address).delete()[0]
    return deleted


def attempts_prune(now: datetime) -> int:
    """Delete counters whose window is over; returns their number."""
    return LoginAttempts.objects.filter(until__lte=now).delete()[0]


def _counters(name: str, address: str) -> tuple[_Counter, ...]:
    """The counters in the order in which they are locked."""
    digest = _digest(name)
    of_name = _Counter(digest, "", MOST_OF_NAME)
    if not address:
        return (of_name,)
    return (
        _Counter("", address, MOST_OF_ADDRESS),
        of_name,
        _Counter(digest, address, MOST_OF_NAME_AND_ADDRESS),
    )


def _row(counter: _Counter, now: datetime) -> tuple[_Counter, LoginAttempts]:
    """Return the locked row of a counter, in a new window if the last one is over."""
    row, _ = LoginAttempts.objects.select_for_update().get_or_create(
        name_digest=counter.name_digest, address=counter.address, defaults={"until": now + WINDOW}
    )
    if row.until <= now:
        row.attempts, row.until = 0, now + WINDOW
    return counter, row


def _find(counter: _Counter, now: datetime) -> LoginAttempts | None:
    rows = LoginAttempts.objects.filter(name_digest=counter.name_digest, address=counter.address, until__gt=now)
    return rows.first()


def _refuse_if_full(rows: list[tuple[_Counter, LoginAttempts]], now: datetime) -> None:
    ends = [row.until for counter, row in rows if row.attempts >= counter.most]
    if ends:
        raise TooManyAttemptsError(int((max(ends) - now).total_seconds()) + 1)


def _record_limit(row: LoginAttempts, address: str) -> None:
    by = Actor(name="unknown", address=address)
    subject = TrailSubject("address", address or "unknown")
    kind = "address" if not row.name_digest else "name and address" if row.address else "name"
    after = {"limit_of": kind, "attempts": row.attempts, "until": row.until}
    record(by=by, action="session.refuse", subject=subject, after=after, outcome="refused")


def _digest(name: str) -> str:
    key = f"attempts {settings.SECRET_KEY}".encode()
    return hmac.new(key, name.lower().encode(), hashlib.sha256).hexdigest()
