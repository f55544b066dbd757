"""Jobs of the house worker that concern audits."""

from datetime import UTC, datetime

import structlog
from celery import shared_task
from django.utils import timezone

from replication.domain.identifiers import FlowId
from srm_service.flows.selectors import flow_copy_rules, flow_list
from srm_service.monitoring.audits import audit_last_requested_ms
from srm_service.operations.audit_schedule import SETTING, parse_schedule
from srm_service.operations.audits import AuditRefusedError, AuditWish, audit_start

SCHEDULE_AUDITS = "srm.operations.schedule_audits"
_log = structlog.get_logger(__name__)


@shared_task(name=SCHEDULE_AUDITS, expires=50)
def schedule_audits() -> int:
    """Ask for the incremental audits that are due; returns how many."""
    now = timezone.now()
    return sum(_schedule(FlowId(flow.source, flow.target), now) for flow in flow_list() if flow.enabled)


def _schedule(flow: FlowId, now: datetime) -> bool:
    rules = flow_copy_rules(flow.source, flow.target)
    text = (rules.source_settings if rules is not None else {}).get(SETTING, "").strip()
    if not text:
        return False
    try:
        last_ms = audit_last_requested_ms(flow)
        last = None if last_ms is None else datetime.fromtimestamp(last_ms / 1000, tz=UTC)
        if not parse_schedule(text).is_due(last, now):
            return False
        audit_start(flow, AuditWish(mode="incremental"), by="schedule", scheduled=True)
    except (AuditRefusedError, ValueError) as error:
        _log.warning("scheduled audit put off", flow=f"{flow.source}->{flow.target}", error=str(error))
        return False
    return True
