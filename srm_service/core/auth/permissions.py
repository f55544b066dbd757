"""The DRF permission: reading requires the viewer role and other methods the operator role, unless the view differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from srm_service.core.auth.roles import UserRole, includes, role_of

if TYPE_CHECKING:  # rest_framework.views imports this module through the settings
    from rest_framework.views import APIView


class RolePermission(BasePermission):
    """A view may set `required_role` for its unsafe methods, and `reading_role` for the others."""

    message = "your role does not allow this: ask an admin for the operator role"

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            return False
        wanted = role_needed(view, request.method or "")
        self.message = f"your role does not allow this: it needs the {wanted} role, ask an admin for it"
        return includes(role_of(request.user), wanted)


def role_needed(view: object, method: str) -> UserRole:
    """Return the role that a method of a view requires."""
    if method in SAFE_METHODS:
        reading: UserRole = getattr(view, "reading_role", "viewer")
        return reading
    changing: UserRole = getattr(view, "required_role", "operator")
    return changing
