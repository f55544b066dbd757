"""Maintenance jobs for flows and their orders."""

from celery import shared_task
from django.utils import timezone

from srm_service.flows.actions import actions_forget
from srm_service.flows.control.outcomes import outcomes_note
from srm_service.flows.control.topic_rows import topic_orders_expire
from srm_service.flows.documents.metrics_targets import write_metrics_targets
from srm_service.flows.orders import resets_done, resets_forget, throttles_end
from srm_service.flows.publishing import publish_all
from srm_service.flows.selectors import resets_open
from srm_service.flows.services import flow_end_pauses
from srm_service.flows.topic_orders import all_reported_done
from srm_service.monitoring.flows.live_state import live_snapshot

PUBLISH_DESIRED = "srm.flows.publish_desired"
NOTE_ORDERS = "srm.flows.note_orders"


@shared_task(name=PUBLISH_DESIRED, expires=30)
def publish_desired() -> int:
    """End expired orders, write the metrics targets, and publish desired state to Redis."""
    now = timezone.now()
    flow_end_pauses(now)
    throttles_end(now)
    topic_orders_expire(now)
    resets_forget(now)
    actions_forget(now)
    write_metrics_targets()
    return publish_all()


@shared_task(name=NOTE_ORDERS, expires=10)
def note_orders() -> int:
    """Record the orders that drivers report as done; returns the number of new ones."""
    now, live, waiting = timezone.now(), live_snapshot(), resets_open()
    done = waiting & all_reported_done(live) if waiting else waiting
    return (resets_done(done, now) if done else 0) + outcomes_note(live, now)
