"""Ends sessions, and records that they were opened and ended."""

from srm_service.people.models import LoginSession
from srm_service.trail.contracts import Actor, TrailSubject
from srm_service.trail.services import record


class SessionNotFoundError(Exception):
    """There is no such open session."""


def session_started(user: str) -> None:
    """Record a login."""
    record(by=user, action="session.start", subject=TrailSubject("user", user))


def session_end(*, session_id: str, owner: str | None, by: Actor | str) -> None:
    """End a session of this user, or of any. Raises SessionNotFoundError."""
    sessions = LoginSession.objects.filter(session_key=session_id, user__isnull=False).select_related("user")
    session = (sessions if owner is None else sessions.filter(user__username=owner)).first()
    if session is None or session.user is None:
        raise SessionNotFoundError(f"there is no session {session_id}; GET /api/v2/sessions lists them")
    session.delete()
    before = {"session": session_id[:8], "address": session.address}
    record(by=by, action="session.end", subject=TrailSubject("user", session.user.get_username()), before=before)


def sessions_end(*, user: str, keep: str, by: Actor | str) -> int:
    """End all sessions of a user but one; returns their number."""
    ended = LoginSession.objects.filter(user__username=user).exclude(session_key=keep).delete()[0]
    if ended:
        record(by=by, action="session.end", subject=TrailSubject("user", user), before={"sessions": ended})
    return ended
