"""Maintenance jobs for the service's own tables."""

from importlib import import_module

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from srm_service.core.api.idempotency import kept_answers_forget

PRUNE_SESSIONS = "srm.core.prune_sessions"


@shared_task(name=PRUNE_SESSIONS, expires=3600)
def prune_sessions() -> None:
    """Delete expired sessions, and answers that were kept for repeated requests."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    kept_answers_forget(timezone.now())
