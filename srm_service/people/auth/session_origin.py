"""Notes in a new session when and from where it was opened."""

from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from srm_service.core.clock import now_ms
from srm_service.core.web.request_origin import client_address
from srm_service.people.auth.session_store import ORIGIN

_LONGEST_AGENT = 200


@receiver(user_logged_in)
def note_origin(sender: Any, request: HttpRequest, **kwargs: Any) -> None:
    """Store time, address and user agent."""
    request.session[ORIGIN] = {
        "started_ms": now_ms(),
        "address": client_address(request),
        "user_agent": request.headers.get("User-Agent", "")[:_LONGEST_AGENT],
    }
