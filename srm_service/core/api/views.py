"""The REST resource of the current user."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.operation import operation
from srm_service.core.auth.roles import UserRole, permissions_of, role_of
from srm_service.core.choices import choices_of


class MeSerializer(serializers.Serializer[Any]):
    """The current user."""

    username = serializers.CharField()
    role = serializers.ChoiceField(choices=choices_of(UserRole))
    permissions = serializers.ListField(child=serializers.CharField())


class MeView(APIView):
    @operation("me", "The current user", responses=MeSerializer, tags=["me"])
    def get(self, request: Request) -> Response:
        role = role_of(request.user)
        return Response({"username": request.user.get_username(), "role": role, "permissions": permissions_of(role)})
