"""Three roles, stored as Django groups; each includes the permissions of the previous ones."""

from typing import Literal, get_args

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

UserRole = Literal["viewer", "operator", "admin"]
ROLES: tuple[UserRole, ...] = get_args(UserRole)

_PERMISSIONS: dict[UserRole, tuple[str, ...]] = {
    "viewer": ("flows.read", "clusters.read", "drivers.read"),
    "operator": ("flows.act", "flows.change"),
    "admin": ("clusters.change", "users.change"),
}


def role_of(user: AbstractBaseUser | AnonymousUser) -> UserRole | None:
    """The highest role of a user; a superuser is an admin, a user in no group has none."""
    if not isinstance(user, User) or not user.is_active:
        return None
    if user.is_superuser:
        return "admin"
    groups = set(user.groups.values_list("name", flat=True))
    return next((role for role in reversed(ROLES) if role in groups), None)


def includes(role: UserRole | None, wanted: UserRole) -> bool:
    """True when `role` has at least the rights of `wanted`."""
    return role is not None and ROLES.index(role) >= ROLES.index(wanted)


def permissions_of(role: UserRole | None) -> list[str]:
    """The permissions of a role, as named in REST responses."""
    return [right for known in ROLES if includes(role, known) for right in _PERMISSIONS[known]]
