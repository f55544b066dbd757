"""Queries of users, sessions and tokens."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from srm_service.core.auth.roles import stored_role_of
from srm_service.core.choices import word_of
from srm_service.people.contracts import TOKEN_SCOPES, SessionDto, TokenDto, TokenState, UserDto
from srm_service.people.models import ApiToken, LoginSession


def user_list() -> tuple[UserDto, ...]:
    """All users by name."""
    return tuple(user_dto(user) for user in _users())


def user_find(name: str) -> UserDto | None:
    user = _users().filter(username=name).first()
    return None if user is None else user_dto(user)


def session_list(owner: str | None, *, current: str) -> tuple[SessionDto, ...]:
    """Open sessions of a user, or of all users, the newest first."""
    sessions = LoginSession.objects.filter(expire_date__gt=timezone.now(), user__isnull=False).select_related("user")
    if owner is not None:
        sessions = sessions.filter(user__username=owner)
    return tuple(
        SessionDto(
            id=session.session_key,
            user=session.user.get_username() if session.user else "",
            started_ms=_ms(session.started_at),
            expires_ms=_known_ms(session.expire_date),
            address=session.address,
            user_agent=session.user_agent,
            current=session.session_key == current,
        )
        for session in sessions
    )


def token_list(owner: str | None) -> tuple[TokenDto, ...]:
    """Tokens of a user, or of all users, the newest first."""
    tokens = ApiToken.objects.select_related("owner")
    return tuple(token_dto(token) for token in (tokens if owner is None else tokens.filter(owner__username=owner)))


def token_find(prefix: str) -> TokenDto | None:
    token = ApiToken.objects.select_related("owner").filter(prefix=prefix).first()
    return None if token is None else token_dto(token)


def token_dto(token: ApiToken) -> TokenDto:
    return TokenDto(
        id=token.prefix,
        name=token.name,
        owner=token.owner.get_username(),
        scopes=tuple(word_of(scope, TOKEN_SCOPES) for scope in token.scopes),
        state=token_state(token, timezone.now()),
        created_ms=_known_ms(token.created_at),
        expires_ms=_known_ms(token.expires_at),
        last_used_ms=_ms(token.last_used_at),
        revoked_ms=_ms(token.revoked_at),
    )


def token_state(token: ApiToken, now: datetime) -> TokenState:
    """Return the first reason why a token is not accepted, or `active`."""
    if token.revoked_at is not None:
        return "revoked"
    if token.expires_at <= now:
        return "expired"
    return "active" if token.owner.is_active else "owner_disabled"


def user_dto(user: User) -> UserDto:
    return UserDto(
        name=user.get_username(),
        role=stored_role_of(user),
        active=user.is_active,
        has_password=user.has_usable_password(),
        created_ms=_known_ms(user.date_joined),
        last_login_ms=_ms(user.last_login),
        sessions=getattr(user, "open_sessions", 0),
        tokens=getattr(user, "open_tokens", 0),
    )


def _users() -> QuerySet[User]:
    now = timezone.now()
    open_tokens = Q(api_tokens__revoked_at__isnull=True, api_tokens__expires_at__gt=now)
    return (
        User.objects.prefetch_related("groups")
        .annotate(
            open_sessions=Count("login_sessions", filter=Q(login_sessions__expire_date__gt=now), distinct=True),
            open_tokens=Count("api_tokens", filter=open_tokens, distinct=True),
        )
        .order_by("username")
    )


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else _known_ms(moment)


def _known_ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
