"""The DRF permission: reading requires the viewer role, other methods the view's role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from srm_service.core.auth.roles import UserRole, includes, role_of

if TYPE_CHECKING:  # rest_framework.views imports this module through the settings
    from rest_framework.views import APIView


class RolePermission(BasePermission):
    """A view may set `required_role` for its unsafe methods; the default is operator."""

    message = "your role does not allow this: ask an admin for the operator role"

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            return False
        wanted: UserRole = "viewer" if request.method in SAFE_METHODS else getattr(view, "required_role", "operator")
        self.message = f"your role does not allow this: it needs the {wanted} role, ask an admin for it"
        return includes(role_of(request.user), wanted)
