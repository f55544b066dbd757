"""Jobs of the house worker that concern flows."""

from celery import shared_task
from django.utils import timezone

from srm_service.flows.metrics_targets import write_metrics_targets
from srm_service.flows.orders import holds_end, resets_forget
from srm_service.flows.publishing import publish_all
from srm_service.flows.services import flow_end_pauses

PUBLISH_DESIRED = "srm.flows.publish_desired"


@shared_task(name=PUBLISH_DESIRED, expires=30)
def publish_desired() -> int:
    """End pauses and holds that are over, tell metrics of new clusters, bring Redis up to date, also an emptied one."""
    now = timezone.now()
    flow_end_pauses(now)
    holds_end(now)
    resets_forget(now)
    write_metrics_targets()
    return publish_all()
