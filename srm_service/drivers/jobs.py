"""Maintenance jobs for drivers: their orders, and which of them were seen."""

from celery import shared_task
from django.utils import timezone

from srm_service.drivers.publishing import publish_orders
from srm_service.drivers.seen import note_processes
from srm_service.drivers.services import drains_end, restarts_forget
from srm_service.monitoring.flows.live_state import live_snapshot

NOTE_PROCESSES = "srm.drivers.note_processes"
PUBLISH_ORDERS = "srm.drivers.publish_orders"


@shared_task(name=PUBLISH_ORDERS, expires=30)
def publish_driver_orders() -> bool:
    """End expired drains and restarts, and publish the driver orders to Redis."""
    now = timezone.now()
    drains_end(now)
    restarts_forget(now)
    return publish_orders()


@shared_task(name=NOTE_PROCESSES, expires=10)
def note_driver_processes() -> int:
    """Remember the processes that report now; returns their number."""
    return note_processes(live_snapshot(), timezone.now())
