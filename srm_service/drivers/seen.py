"""Processes of drivers that were seen: reports vanish from Redis, and a driver that left stays known."""

from datetime import datetime, timedelta

from django.db.models import Count

from srm_service.core.clock import epoch_ms
from srm_service.drivers.contracts import GoneProcess
from srm_service.drivers.models import SeenProcess
from srm_service.monitoring.drivers import DriverNow, drivers_now
from srm_service.monitoring.flows.live_state import LiveSnapshot

KEPT = timedelta(days=7)
MOST_STARTS = 20  # of one process: one that ends again and again must not fill the list


def note_processes(live: LiveSnapshot, now: datetime) -> int:
    """Remember the processes that report, and forget old ones; returns how many report."""
    rows = [_seen(process, now) for process in drivers_now(live)]
    SeenProcess.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["process", "role", "boot"],
        update_fields=["parent", "host", "pid", "version", "last_seen_at", "leaving", "tasks"],
    )
    SeenProcess.objects.filter(last_seen_at__lt=now - KEPT).delete()
    _forget_starts()
    return len(rows)


def _forget_starts() -> None:
    """Keep the newest starts of each process."""
    many = SeenProcess.objects.values("process", "role").annotate(starts=Count("id")).filter(starts__gt=MOST_STARTS)
    for process, role in list(many.order_by().values_list("process", "role")):
        starts = SeenProcess.objects.filter(process=process, role=role).order_by("-last_seen_at", "-id")
        SeenProcess.objects.filter(pk__in=list(starts.values_list("pk", flat=True)[MOST_STARTS:])).delete()


def gone_processes(live: LiveSnapshot) -> tuple[GoneProcess, ...]:
    """Return the processes that do not report any more, the last seen first; none if Redis does not answer.

    One that stopped in order and has started again is not gone. One that fell silent is, although a successor reports.
    """
    if live.problem:
        return ()
    now = drivers_now(live)
    present = {(process.id, process.role) for process in now}
    starts = {(process.id, process.role, process.boot or "") for process in now}
    gone = (
        _gone(row, is_back=(row.process, row.role) in present)
        for row in SeenProcess.objects.order_by("-last_seen_at", "process")
        if (row.process, row.role, row.boot) not in starts
        and (row.boot or (row.process, row.role) not in present)  # rows of older releases name no start
    )
    return tuple(each for each in gone if not (each.left and each.restarted))


def _seen(process: DriverNow, now: datetime) -> SeenProcess:
    return SeenProcess(
        process=process.id,
        role=process.role,
        boot=process.boot or "",
        pid=process.pid,
        parent=process.parent,
        host=process.host or "",
        version=process.version or "",
        first_seen_at=now,
        last_seen_at=now,
        leaving=process.leaving,
        tasks=process.tasks,
    )


def _gone(row: SeenProcess, *, is_back: bool) -> GoneProcess:
    return GoneProcess(
        id=row.process,
        parent=row.parent,
        role=row.role,
        host=row.host or None,
        pid=row.pid,
        version=row.version or None,
        first_seen_ms=epoch_ms(row.first_seen_at),
        last_seen_ms=epoch_ms(row.last_seen_at),
        restarted=is_back,
        left=row.leaving,
        tasks=row.tasks,
    )
