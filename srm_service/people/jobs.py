"""Maintenance jobs for sessions and counters of attempts."""

from celery import shared_task
from django.utils import timezone

from srm_service.people.attempts import attempts_prune

PRUNE_ATTEMPTS = "srm.people.prune_attempts"


@shared_task(name=PRUNE_ATTEMPTS, expires=3600)
def prune_attempts() -> int:
    """Delete counters of attempts to log in whose window is over; returns their number."""
    return attempts_prune(timezone.now())
