"""Maintenance job for orders to drivers."""

from celery import shared_task
from django.utils import timezone

from srm_service.drivers.publishing import publish_orders
from srm_service.drivers.services import drains_end, restarts_forget

PUBLISH_ORDERS = "srm.drivers.publish_orders"


@shared_task(name=PUBLISH_ORDERS, expires=30)
def publish_driver_orders() -> bool:
    """End expired drains and restarts, and publish the driver orders to Redis."""
    now = timezone.now()
    drains_end(now)
    restarts_forget(now)
    return publish_orders()
