"""The REST resources of the current user and of the service itself."""

import platform
from typing import Any

from django.db import connection
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.config.release import version
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


class AboutSerializer(serializers.Serializer[Any]):
    """The release of the service, and the parts that it runs on."""

    version = serializers.CharField(help_text="The release of Streams Replication Manager")
    python = serializers.CharField(help_text="The version of Python")
    database = serializers.CharField(help_text="The kind of database, such as PostgreSQL")


class AboutView(APIView):
    @operation("about", "The release of the service", responses=AboutSerializer, tags=["about"])
    def get(self, request: Request) -> Response:
        parts = {"python": platform.python_version(), "database": connection.display_name}
        return Response({"version": version(), **parts})
