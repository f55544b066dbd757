"""Maintenance job of the audit trail."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from srm_service.trail.retention import trail_prune

PRUNE_TRAIL = "srm.trail.prune_trail"


@shared_task(name=PRUNE_TRAIL, expires=3600)
def prune_trail() -> int:
    """Delete entries older than SRM_TRAIL_RETENTION_DAYS; returns their number. Without a retention, none."""
    days: int = settings.SRM_TRAIL_RETENTION_DAYS
    return trail_prune(timezone.now() - timedelta(days=days)) if days else 0
