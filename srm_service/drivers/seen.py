"""Processes of drivers that were seen: reports vanish from Redis, and a driver that left stays known."""

from datetime import datetime, timedelta

from srm_service.core.clock import epoch_ms
from srm_service.drivers.contracts import GoneProcess
from srm_service.drivers.models import SeenProcess
from srm_service.monitoring.drivers import DriverNow, drivers_now
from srm_service.monitoring.flows.live_state import LiveSnapshot

KEPT = timedelta(days=7)


def note_processes(live: LiveSnapshot, now: datetime) -> int:
    """Remember the processes that report, forget those that were last seen a week ago; returns how many report."""
    rows = [_seen(process, now) for process in drivers_now(live)]
    SeenProcess.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["process", "role"],
        update_fields=["parent", "host", "version", "last_seen_at", "leaving", "tasks"],
    )
    SeenProcess.objects.filter(last_seen_at__lt=now - KEPT).delete()
    return len(rows)


def gone_processes(live: LiveSnapshot) -> tuple[GoneProcess, ...]:
    """Return the processes that do not report any more, the last seen first; none if Redis does not answer."""
    if live.problem:
        return ()
    reporting = {(process.id, process.role) for process in drivers_now(live)}
    rows = SeenProcess.objects.order_by("-last_seen_at", "process")
    return tuple(_gone(row) for row in rows if (row.process, row.role) not in reporting)


def _seen(process: DriverNow, now: datetime) -> SeenProcess:
    return SeenProcess(
        process=process.id,
        role=process.role,
        parent=process.parent,
        host=process.host or "",
        version=process.version or "",
        first_seen_at=now,
        last_seen_at=now,
        leaving=process.leaving,
        tasks=process.tasks,
    )


def _gone(row: SeenProcess) -> GoneProcess:
    return GoneProcess(
        id=row.process,
        parent=row.parent,
        role=row.role,
        host=row.host or None,
        version=row.version or None,
        first_seen_ms=epoch_ms(row.first_seen_at),
        last_seen_ms=epoch_ms(row.last_seen_at),
        left=row.leaving,
        tasks=row.tasks,
    )
