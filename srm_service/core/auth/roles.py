"""Three roles, stored as Django groups; each includes the permissions of the previous ones."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

from srm_service.core.auth.role_words import ROLES as ROLES
from srm_service.core.auth.role_words import UserRole as UserRole

_PERMISSIONS: dict[UserRole, tuple[str, ...]] = {
    "viewer": ("flows.read", "clusters.read", "drivers.read"),
    "operator": ("flows.act", "flows.change", "drivers.act"),
    "admin": ("clusters.change", "users.change"),
}


_LIMIT = "_srm_role_limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLimit:
    """The most that a request may do, regardless of its user's role: an API token has less rights than its owner."""

    role: UserRole | None
    may_change: bool
    metrics: bool = False  # the Prometheus page, which needs no role
    peer: bool = False  # what other services read, which needs no role


def limit_role(user: User, limit: RoleLimit) -> None:
    """Limit the rights of this object of a user, which belongs to one request."""
    setattr(user, _LIMIT, limit)


def role_limit(user: AbstractBaseUser | AnonymousUser) -> RoleLimit | None:
    """The limit of this request; None without one."""
    limit: RoleLimit | None = getattr(user, _LIMIT, None)
    return limit


def role_of(user: AbstractBaseUser | AnonymousUser) -> UserRole | None:
    """The highest role of a user within its limit; a superuser is an admin, a user in no group has none."""
    if not isinstance(user, User) or not user.is_active:
        return None
    role, limit = stored_role_of(user), role_limit(user)
    if limit is None or role is None:
        return role
    return None if limit.role is None else ROLES[min(ROLES.index(role), ROLES.index(limit.role))]


def stored_role_of(user: User) -> UserRole | None:
    """The highest role that a user has when the account is active and the request is not limited."""
    if user.is_superuser:
        return "admin"
    groups = {group.name for group in user.groups.all()}  # which lists of users have prefetched
    return next((role for role in reversed(ROLES) if role in groups), None)


def includes(role: UserRole | None, wanted: UserRole) -> bool:
    """True when `role` has at least the rights of `wanted`."""
    return role is not None and ROLES.index(role) >= ROLES.index(wanted)


def permissions_of(role: UserRole | None) -> list[str]:
    """The permissions of a role, as named in REST responses."""
    return [right for known in ROLES if includes(role, known) for right in _PERMISSIONS[known]]
