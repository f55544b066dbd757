"""Everyone who may call the API: people of each role, and those who must be refused."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import Group, User
from django.utils import timezone

from srm_service.core.auth.accounts import roles_ensure
from srm_service.core.auth.roles import UserRole
from srm_service.people.contracts import TokenScope
from srm_service.people.models import ApiToken
from srm_service.people.tokens import token_create, token_revoke

PASSWORD = "a long password of the tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """`role` is the role that the caller's credentials give; None: they give none, `refused` is the answer to all."""

    name: str
    headers: Callable[[], Mapping[str, str]]
    role: UserRole | None = None
    refused: int | None = None
    changes: bool = True  # False: the credentials are for reading


def _person(role: UserRole | None) -> Callable[[], Mapping[str, str]]:
    def log_in() -> Mapping[str, str]:
        roles_ensure()
        user, _ = User.objects.get_or_create(username=f"caller-{role}")
        user.set_password(PASSWORD)
        user.save()
        user.groups.set(Group.objects.filter(name=role))
        token = base64.b64encode(f"caller-{role}:{PASSWORD}".encode()).decode()
        return {"Authorization": f"Basic {token}"}

    return log_in


def _token(
    owner: UserRole, *scopes: TokenScope, expired: bool = False, revoked: bool = False, disabled: bool = False
) -> Callable[[], Mapping[str, str]]:
    def create() -> Mapping[str, str]:
        _person(owner)()
        user = User.objects.get(username=f"caller-{owner}")
        in_an_hour = timezone.now() + timedelta(hours=1)
        token, text = token_create(
            owner=user, role=owner, name="matrix", scopes=scopes, expires_at=in_an_hour, by=user.username
        )
        if expired:
            ApiToken.objects.update(expires_at=timezone.now())
        if revoked:
            token_revoke(prefix=token.id, owner=None, by=user.username)
        if disabled:
            User.objects.filter(pk=user.pk).update(is_active=False)
        return {"Authorization": f"Bearer {text}"}

    return create


PEOPLE = (
    Caller(name="anonymous", headers=dict, refused=401),
    Caller(name="no role", headers=_person(None), refused=403),
    Caller(name="viewer", headers=_person("viewer"), role="viewer"),
    Caller(name="operator", headers=_person("operator"), role="operator"),
    Caller(name="admin", headers=_person("admin"), role="admin"),
)
CALLERS = (
    *PEOPLE,
    Caller(name="expired token", headers=_token("admin", "admin", expired=True), refused=401),
    Caller(name="revoked token", headers=_token("admin", "admin", revoked=True), refused=401),
    Caller(name="token of a disabled user", headers=_token("admin", "admin", disabled=True), refused=401),
    Caller(name="token for /metrics only", headers=_token("admin", "metrics"), refused=403),
    Caller(name="token for other services only", headers=_token("admin", "peer"), refused=403),
    Caller(name="reading token of an admin", headers=_token("admin", "read"), role="viewer", changes=False),
    Caller(name="operating token of an admin", headers=_token("admin", "operate"), role="operator"),
    Caller(name="admin's token", headers=_token("admin", "admin"), role="admin"),
)
