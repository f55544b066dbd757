"""The DRF permission: reading requires the viewer role and other methods the operator role, unless the view differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.db.models import prefetch_related_objects
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from srm_service.core.auth.roles import UserRole, includes, role_limit, role_of, stored_role_of

if TYPE_CHECKING:  # rest_framework.views imports this module through the settings
    from rest_framework.views import APIView


class RolePermission(BasePermission):
    """A view may set `required_role` for its unsafe methods, and `reading_role` for the others."""

    message = "your role does not allow this: ask an admin for the operator role"

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            return False
        method = request.method or ""
        limit = role_limit(request.user)
        if limit is not None and not limit.may_change and method not in SAFE_METHODS:
            self.message = "the token's scope does not allow changes: use a token with the scope operate or admin"
            return False
        if isinstance(request.user, User):
            prefetch_related_objects([request.user], "groups")  # the role is asked for several times
        wanted = role_needed(view, method)
        self.message = f"your role does not allow this: it needs the {wanted} role, ask an admin for it"
        return includes(role_of(request.user), wanted)


class MetricsPermission(RolePermission):
    """Allows viewers, and API tokens with the scope `metrics`."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        limit = role_limit(request.user)
        return (limit is not None and limit.metrics) or super().has_permission(request, view)


class PeerPermission(BasePermission):
    """Allows reading with API tokens with the scope `peer`, whose owner has a role. No one else."""

    message = "only an API token with the scope peer opens the internal endpoints"

    def has_permission(self, request: Request, view: APIView) -> bool:
        limit, user = role_limit(request.user), request.user
        is_peer = limit is not None and limit.peer and isinstance(user, User) and stored_role_of(user) is not None
        return is_peer and request.method in SAFE_METHODS


def role_needed(view: object, method: str) -> UserRole:
    """Return the role that a method of a view requires."""
    if method in SAFE_METHODS:
        reading: UserRole = getattr(view, "reading_role", "viewer")
        return reading
    changing: UserRole = getattr(view, "required_role", "operator")
    return changing
