"""Everyone who may call the API: people of each role, and those who must be refused."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import Group, User

from srm_service.core.auth.accounts import roles_ensure
from srm_service.core.auth.roles import UserRole

PASSWORD = "a long password of the tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """`role` is the role that the caller's credentials give; None: they give none, `refused` is the answer to all."""

    name: str
    headers: Callable[[], Mapping[str, str]]
    role: UserRole | None = None
    refused: int | None = None


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


# A caller with a token (expired, revoked, of another scope) is one more entry.
CALLERS = (
    Caller(name="anonymous", headers=dict, refused=401),
    Caller(name="no role", headers=_person(None), refused=403),
    Caller(name="viewer", headers=_person("viewer"), role="viewer"),
    Caller(name="operator", headers=_person("operator"), role="operator"),
    Caller(name="admin", headers=_person("admin"), role="admin"),
)
