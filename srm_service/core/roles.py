"""Three roles, kept as Django groups; each includes the rights of those before it."""

from typing import Literal

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

Role = Literal["viewer", "operator", "admin"]
ROLES: tuple[Role, ...] = ("viewer", "operator", "admin")

_PERMISSIONS: dict[Role, tuple[str, ...]] = {
    "viewer": ("flows.read", "clusters.read", "drivers.read"),
    "operator": ("flows.act", "flows.change"),
    "admin": ("clusters.change", "users.change"),
}


def role_of(user: AbstractBaseUser | AnonymousUser) -> Role | None:
    """The highest role of a user; a superuser is an admin, a user in no group has none."""
    if not isinstance(user, User) or not user.is_active:
        return None
    if user.is_superuser:
        return "admin"
    groups = set(user.groups.values_list("name", flat=True))
    return next((role for role in reversed(ROLES) if role in groups), None)


def includes(role: Role | None, wanted: Role) -> bool:
    """True when `role` has at least the rights of `wanted`."""
    return role is not None and ROLES.index(role) >= ROLES.index(wanted)


def permissions_of(role: Role | None) -> list[str]:
    """Every right of a role, as the page and REST answers name it."""
    return [right for known in ROLES if includes(role, known) for right in _PERMISSIONS[known]]
