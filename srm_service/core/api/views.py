"""Who is asking, and what they may do."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.roles import ROLES, permissions_of, role_of


class MeSerializer(serializers.Serializer[Any]):
    """The caller."""

    username = serializers.CharField()
    role = serializers.ChoiceField(choices=[(role, role) for role in ROLES])
    permissions = serializers.ListField(child=serializers.CharField())


class MeView(APIView):
    @extend_schema(operation_id="me", summary="Who am I", responses=MeSerializer, tags=["me"])
    def get(self, request: Request) -> Response:
        role = role_of(request.user)
        return Response({"username": request.user.get_username(), "role": role, "permissions": permissions_of(role)})
