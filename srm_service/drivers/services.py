"""Orders to drivers: each is recorded in the audit trail and published after its transaction has committed."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from srm_service.drivers.contracts import DrainDto, RestartDto
from srm_service.drivers.models import DriverDrain, DriverRestart
from srm_service.drivers.publishing import publish_orders_quietly
from srm_service.drivers.selectors import drain_dto, restart_dto
from srm_service.trail.contracts import MAINTENANCE, Actor, TrailSubject
from srm_service.trail.services import record

DrainCheck = Callable[[DrainDto | None], None]


def driver_drain(
    *, driver: str, reason: str, expires_at: datetime | None, by: Actor | str, check: DrainCheck
) -> tuple[DrainDto, bool]:
    """Drain a driver; returns the drain, and False if it was ordered like this before.

    `check` gets the drain that is replaced, which is locked, or None; if it raises, nothing changes.
    """
    with transaction.atomic():
        first = {"reason": reason, "expires_at": expires_at, "ordered_by": str(by), "ordered_at": timezone.now()}
        row, is_new = DriverDrain.objects.select_for_update().get_or_create(driver=driver, defaults=first)
        before = None if is_new else drain_dto(row)
        check(before)
        if before is not None and (row.reason, row.expires_at) == (reason, expires_at):
            return before, False
        if not is_new:
            row.reason, row.expires_at, row.ordered_by = reason, expires_at, str(by)
            row.save()
        after = drain_dto(row)
        _record("driver.drain", driver, by=by, before=before, after=after, reason=reason)
        transaction.on_commit(publish_orders_quietly)
    return after, True


def driver_undrain(*, driver: str, reason: str, by: Actor | str, check: DrainCheck) -> bool:
    """Remove the drain of a driver; returns False if there is none. `check` is as in `driver_drain`."""
    with transaction.atomic():
        row = DriverDrain.objects.select_for_update().filter(driver=driver).first()
        before = None if row is None else drain_dto(row)
        check(before)
        if row is None:
            return False
        row.delete()
        _record("driver.undrain", driver, by=by, before=before, reason=reason)
        transaction.on_commit(publish_orders_quietly)
    return True


def driver_restart(*, driver: str, reason: str, until: datetime, by: Actor | str) -> RestartDto:
    """Restart a driver; its tasks wait for it until the given time. A second order restarts it again."""
    with transaction.atomic():
        key, now = uuid4().hex, timezone.now()
        wanted = {"key": key, "ordered_by": str(by), "ordered_at": now, "until": until}
        row, _ = DriverRestart.objects.update_or_create(driver=driver, defaults=wanted)
        ordered = restart_dto(row)
        _record("driver.restart", driver, by=by, after=ordered, reason=reason)
        transaction.on_commit(publish_orders_quietly)
    return ordered


def drains_end(now: datetime) -> int:
    """Delete expired drains, which drivers have already ended; returns their number."""
    with transaction.atomic():
        over = list(DriverDrain.objects.select_for_update().filter(expires_at__lte=now))
        for row in over:
            _record("driver.undrain", row.driver, by=MAINTENANCE, before=drain_dto(row), reason="drain expired")
        DriverDrain.objects.filter(pk__in=[row.pk for row in over]).delete()
    return len(over)


def restarts_forget(now: datetime) -> int:
    """Delete restarts whose grace has passed; returns their number."""
    return DriverRestart.objects.filter(until__lte=now).delete()[0]


def _record(
    action: str,
    driver: str,
    *,
    by: Actor | str,
    before: DrainDto | None = None,
    after: DrainDto | RestartDto | None = None,
    reason: str,
) -> None:
    record(
        by=by,
        action=action,
        subject=TrailSubject("driver", driver),
        before=None if before is None else asdict(before),
        after=None if after is None else asdict(after),
        reason=reason,
    )
