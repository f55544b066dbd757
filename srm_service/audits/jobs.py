"""Jobs of the maintenance worker for audits."""

from datetime import datetime

import structlog
from celery import shared_task
from django.utils import timezone

from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.flow import AUDIT_SCHEDULE
from srm_service.audits.requests import AuditRefusedError, AuditRequest, audit_start
from srm_service.audits.selectors import audit_last_requested_ms
from srm_service.core.clock import moment_of
from srm_service.flows.selectors import flow_copy_rules, flow_list

SCHEDULE_AUDITS = "srm.audits.schedule_audits"
_log = structlog.get_logger(__name__)


@shared_task(name=SCHEDULE_AUDITS, expires=50)
def schedule_audits() -> int:
    """Request the incremental audits that are due; returns their number."""
    now = timezone.now()
    return sum(_schedule(FlowId(flow.source, flow.target), now) for flow in flow_list() if flow.enabled)


def _schedule(flow: FlowId, now: datetime) -> bool:
    rules = flow_copy_rules(flow.source, flow.target)
    settings = rules.source_settings if rules is not None else {}
    try:
        schedule = AUDIT_SCHEDULE.read(settings)
        if schedule is None:
            return False
        last_ms = audit_last_requested_ms(flow)
        last = moment_of(last_ms)
        if not schedule.is_due(last, now):
            return False
        audit_start(flow, AuditRequest(mode="incremental"), by="schedule", scheduled=True)
    except (AuditRefusedError, ValueError) as error:
        _log.warning("scheduled audit postponed", flow=f"{flow.source}->{flow.target}", error=str(error))
        return False
    return True
