"""Maintenance jobs for flows and their orders."""

from celery import shared_task
from django.utils import timezone

from srm_service.flows.actions import actions_forget
from srm_service.flows.documents.metrics_targets import write_metrics_targets
from srm_service.flows.orders import holds_end, resets_done, resets_forget
from srm_service.flows.publishing import publish_all
from srm_service.flows.selectors import resets_open
from srm_service.flows.services import flow_end_pauses
from srm_service.flows.topic_orders import all_reported_done
from srm_service.monitoring.flows.live_state import live_snapshot

PUBLISH_DESIRED = "srm.flows.publish_desired"
NOTE_RESETS = "srm.flows.note_resets"


@shared_task(name=PUBLISH_DESIRED, expires=30)
def publish_desired() -> int:
    """End expired pauses and holds, write the metrics targets, and publish desired state to Redis."""
    now = timezone.now()
    flow_end_pauses(now)
    holds_end(now)
    resets_forget(now)
    actions_forget(now)
    write_metrics_targets()
    return publish_all()


@shared_task(name=NOTE_RESETS, expires=10)
def note_resets() -> int:
    """Record the resets that drivers report as done; returns the number of new ones."""
    waiting = resets_open()
    done = waiting & all_reported_done(live_snapshot()) if waiting else waiting
    return resets_done(done, timezone.now()) if done else 0
