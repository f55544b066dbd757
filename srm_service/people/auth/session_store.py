"""Sessions in the database under the digest of their key, with their user and origin.

Whoever reads the database cannot use a session, and people see and end their sessions.
"""

import hashlib
from datetime import UTC, datetime
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db

from srm_service.core.clock import moment_of
from srm_service.people.models import LoginSession

ORIGIN = "origin"  # key of the session's data
_LENGTH = 40  # of Django's column


def session_id(session_key: str) -> str:
    """Return the id under which a session is stored and shown."""
    return hashlib.sha256(session_key.encode()).hexdigest()[:_LENGTH]


class SessionStore(db.SessionStore):
    """Django's database sessions with another model."""

    @classmethod
    def get_model_class(cls) -> Any:
        return LoginSession

    def load(self) -> dict[str, Any]:
        key = self.session_key or ""
        stored = LoginSession.objects.filter(session_key=session_id(key), expire_date__gt=datetime.now(UTC)).first()
        if stored is None:
            self._session_key = None
            return {}
        decoded: dict[str, Any] = self.decode(stored.session_data)
        return decoded

    async def aload(self) -> dict[str, Any]:
        return await sync_to_async(self.load)()

    def exists(self, session_key: str | None) -> bool:
        return LoginSession.objects.filter(session_key=session_id(session_key or "")).exists()

    async def aexists(self, session_key: str | None) -> bool:
        return await sync_to_async(self.exists)(session_key)

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        origin = data.get(ORIGIN) or {}
        started_ms = origin.get("started_ms")
        return LoginSession(
            session_key=session_id(self._get_or_create_session_key()),  # type: ignore[attr-defined]
            session_data=self.encode(data),
            expire_date=self.get_expiry_date(),
            user_id=data.get(SESSION_KEY),
            started_at=moment_of(started_ms),
            address=origin.get("address", ""),
            user_agent=origin.get("user_agent", ""),
        )

    async def acreate_model_instance(self, data: dict[str, Any]) -> Any:
        return await sync_to_async(self.create_model_instance)(data)

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            LoginSession.objects.filter(session_key=session_id(key)).delete()

    async def adelete(self, session_key: str | None = None) -> None:
        await sync_to_async(self.delete)(session_key)
