"""Maintenance jobs for the service's own tables."""

from importlib import import_module

from celery import shared_task
from django.conf import settings

PRUNE_SESSIONS = "srm.core.prune_sessions"


@shared_task(name=PRUNE_SESSIONS, expires=3600)
def prune_sessions() -> None:
    """Delete expired sessions."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
