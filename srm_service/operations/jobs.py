"""Jobs of the house worker that concern audits and resets."""

from datetime import UTC, datetime

import structlog
from celery import shared_task
from django.utils import timezone

from replication.domain.audit_schedule import AUDIT_SCHEDULE, read_audit_schedule
from replication.domain.identifiers import FlowId
from srm_service.flows.orders import resets_done
from srm_service.flows.selectors import flow_copy_rules, flow_list, resets_open
from srm_service.monitoring.audits import audit_last_requested_ms
from srm_service.monitoring.live_state import live_snapshot
from srm_service.operations.audits import AuditRefusedError, AuditWish, audit_start
from srm_service.operations.orders import all_reported_done

SCHEDULE_AUDITS = "srm.operations.schedule_audits"
NOTE_RESETS = "srm.operations.note_resets"
_log = structlog.get_logger(__name__)


@shared_task(name=NOTE_RESETS, expires=10)
def note_resets() -> int:
    """Note the resets that drivers report as carried out; returns how many were new."""
    waiting = resets_open()
    done = waiting & all_reported_done(live_snapshot()) if waiting else waiting
    return resets_done(done, timezone.now()) if done else 0


@shared_task(name=SCHEDULE_AUDITS, expires=50)
def schedule_audits() -> int:
    """Ask for the incremental audits that are due; returns how many."""
    now = timezone.now()
    return sum(_schedule(FlowId(flow.source, flow.target), now) for flow in flow_list() if flow.enabled)


def _schedule(flow: FlowId, now: datetime) -> bool:
    rules = flow_copy_rules(flow.source, flow.target)
    text = (rules.source_settings if rules is not None else {}).get(AUDIT_SCHEDULE, "")
    try:
        schedule = read_audit_schedule(text)
        if schedule is None:
            return False
        last_ms = audit_last_requested_ms(flow)
        last = None if last_ms is None else datetime.fromtimestamp(last_ms / 1000, tz=UTC)
        if not schedule.is_due(last, now):
            return False
        audit_start(flow, AuditWish(mode="incremental"), by="schedule", scheduled=True)
    except (AuditRefusedError, ValueError) as error:
        _log.warning("scheduled audit put off", flow=f"{flow.source}->{flow.target}", error=str(error))
        return False
    return True
