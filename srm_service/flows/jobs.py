"""Jobs of the house worker that concern flows."""

from celery import shared_task
from django.utils import timezone

from srm_service.flows.publishing import publish_all
from srm_service.flows.services import flow_end_pauses

PUBLISH_DESIRED = "srm.flows.publish_desired"


@shared_task(name=PUBLISH_DESIRED, expires=30)
def publish_desired() -> int:
    """End pauses that are over, then bring Redis up to date; also what refills a Redis that was emptied."""
    flow_end_pauses(timezone.now())
    return publish_all()
