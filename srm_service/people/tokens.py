"""Creates, verifies and revokes API tokens: `srm_<prefix>_<secret>`, of which the digest is stored."""

import hashlib
import hmac
import secrets
import string
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from srm_service.core.auth.roles import RoleLimit, UserRole, includes, limit_role
from srm_service.people.attempts import attempt_begin
from srm_service.people.contracts import TokenDto, TokenScope, TokenState
from srm_service.people.models import PREFIX_LENGTH, ApiToken
from srm_service.people.selectors import token_dto, token_state
from srm_service.trail.contracts import Actor, TrailSubject
from srm_service.trail.services import record

LONGEST_LIFE = timedelta(days=731)
DEFAULT_LIFE = timedelta(days=90)
_MARK = "srm_"
_SECRET_BYTES = 32
_LONGEST = 200
_USE_NOTED_EVERY = timedelta(minutes=1)
_ALPHABET = string.ascii_lowercase + string.digits
_SCOPE_ROLES: dict[TokenScope, UserRole | None] = {  # strongest first
    "admin": "admin",
    "operate": "operator",
    "read": "viewer",
    "metrics": None,
    "peer": None,
}
_REFUSALS: dict[TokenState, str] = {
    "revoked": "the token was revoked",
    "expired": "the token has expired",
    "owner_disabled": "the token's owner is disabled",
}


class TokenNotFoundError(Exception):
    """There is no such token."""


class TokenRefusedError(Exception):
    """The token is not accepted, or may not be created; the text gives the reason."""


def token_create(
    *,
    owner: User,
    role: UserRole | None,
    name: str,
    scopes: Sequence[TokenScope],
    expires_at: datetime,
    by: Actor | str,
) -> tuple[TokenDto, str]:
    """Create a token and return it with its text, which is not stored. Raises TokenRefusedError.

    `role` is that of the request, so that a token cannot create one with more rights.
    """
    for scope in scopes:
        needed = _SCOPE_ROLES[scope] or "viewer"
        if not includes(role, needed):
            raise TokenRefusedError(f"the scope {scope} needs the {needed} role, and you have {role or 'none'}")
    prefix = "".join(secrets.choice(_ALPHABET) for _ in range(PREFIX_LENGTH))
    text = f"{_MARK}{prefix}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    with transaction.atomic():
        token = ApiToken.objects.create(
            owner=owner,
            name=name,
            prefix=prefix,
            digest=_digest(text),
            scopes=sorted(set(scopes)),
            created_at=timezone.now(),
            expires_at=expires_at,
        )
        after = {"name": name, "owner": owner.get_username(), "scopes": token.scopes, "expires": expires_at}
        record(by=by, action="token.create", subject=TrailSubject("token", prefix), after=after)
    return token_dto(token), text


def token_revoke(
    *, prefix: str, owner: str | None, by: Actor | str, check: Callable[[TokenDto], None] | None = None
) -> TokenDto:
    """Revoke a token of this owner, or of any; again is no change. Raises TokenNotFoundError.

    `check` sees the token before the change and may refuse it.
    """
    with transaction.atomic():
        tokens = ApiToken.objects.select_for_update(of=("self",)).select_related("owner").filter(prefix=prefix)
        token = (tokens if owner is None else tokens.filter(owner__username=owner)).first()
        if token is None:
            raise TokenNotFoundError(f"there is no token {prefix}; GET /api/v2/tokens lists them")
        if check is not None:
            check(token_dto(token))
        if token.revoked_at is None:
            token.revoked_at = timezone.now()
            token.save(update_fields=["revoked_at"])
            before = {"name": token.name, "owner": token.owner.get_username(), "scopes": token.scopes}
            record(by=by, action="token.revoke", subject=TrailSubject("token", prefix), before=before)
    return token_dto(token)


def token_verify(text: str, address: str) -> tuple[User, str]:
    """Return the owner, with the rights limited to the token's scopes, and the prefix.

    Raises TokenRefusedError, and TooManyAttemptsError after many wrong tokens. A right token is never delayed.
    """
    now = timezone.now()
    prefix = text.removeprefix(_MARK).partition("_")[0]
    is_token = text.startswith(_MARK) and text.isascii() and len(text) <= _LONGEST and "\0" not in text
    token = ApiToken.objects.select_related("owner").filter(prefix=prefix).first() if is_token else None
    if not hmac.compare_digest(_digest(text), token.digest if token else _digest("")) or token is None:
        attempt_begin(f"token {prefix[:PREFIX_LENGTH]}", address)
        raise TokenRefusedError("the token is unknown: create one with POST /api/v2/tokens")
    state = token_state(token, now)
    if state != "active":
        raise TokenRefusedError(f"{_REFUSALS[state]}: create another one with POST /api/v2/tokens")
    _note_use(token, now)
    limit_role(token.owner, _limit(token))
    return token.owner, token.prefix


def _limit(token: ApiToken) -> RoleLimit:
    """Return the rights of the strongest scope."""
    scope = next(scope for scope in _SCOPE_ROLES if scope in token.scopes)
    return RoleLimit(
        role=_SCOPE_ROLES[scope],
        may_change=scope in ("admin", "operate"),
        metrics="metrics" in token.scopes,
        peer="peer" in token.scopes,
    )


def _note_use(token: ApiToken, now: datetime) -> None:
    """Store the last use, at most once a minute."""
    earlier = now - _USE_NOTED_EVERY
    if token.last_used_at is None or token.last_used_at <= earlier:
        unnoted = Q(last_used_at__isnull=True) | Q(last_used_at__lte=earlier)
        ApiToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
