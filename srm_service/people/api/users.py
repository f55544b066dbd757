"""REST resources of users, for admins."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.number_cursors import counted_page
from srm_service.core.api.problem import Conflict
from srm_service.core.auth.roles import UserRole
from srm_service.monitoring.api.queries import PageQuery
from srm_service.people.api.serializers import (
    AddressSerializer,
    CreatedUserSerializer,
    NewUserSerializer,
    PasswordResetResultSerializer,
    PasswordResetSerializer,
    UnlockedSerializer,
    UserChangeSerializer,
    UserListSerializer,
    UserSerializer,
)
from srm_service.people.contracts import UserDto
from srm_service.people.selectors import user_find, user_list
from srm_service.people.services import (
    PasswordRefusedError,
    UserChangeError,
    UserChanges,
    UserNotFoundError,
    address_unlock,
    password_reset,
    user_change,
    user_create,
    user_delete,
    user_unlock,
)

_TAGS = ["users"]


class UserAdminView(APIView):
    """A view for admins that converts errors of the services to problem documents."""

    reading_role: UserRole = "admin"
    required_role: UserRole = "admin"

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, UserNotFoundError):
            exc = NotFound(str(exc))
        elif isinstance(exc, UserChangeError):
            exc = Conflict(str(exc))
        elif isinstance(exc, PasswordRefusedError):
            exc = ValidationError({"password": str(exc)})
        response: Response = super().handle_exception(exc)
        return response


class UserListView(UserAdminView):
    @extend_schema(
        operation_id="users_list", summary="Users", parameters=[PageQuery], responses=UserListSerializer, tags=_TAGS
    )
    def get(self, request: Request) -> Response:
        query = PageQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        return counted_page(user_list(), query.validated_data)

    @extend_schema(
        operation_id="users_create",
        summary="Create a user",
        request=NewUserSerializer,
        responses={201: CreatedUserSerializer},
        tags=_TAGS,
    )
    def post(self, request: Request) -> Response:
        values = _body(NewUserSerializer, request)
        user, password = user_create(**values, by=request.user.get_username())
        shown = password if values["password"] is None else None
        return Response({**asdict(user), "password": shown}, status=status.HTTP_201_CREATED)


class UserView(UserAdminView):
    @extend_schema(operation_id="users_detail", summary="A user", responses=UserSerializer, tags=_TAGS)
    def get(self, request: Request, name: str) -> Response:
        return Response(asdict(_known(name)))

    @extend_schema(
        operation_id="users_change",
        summary="Change the role of a user, disable or enable the user",
        description="The last admin keeps the role and remains active (409).",
        request=UserChangeSerializer,
        responses=UserSerializer,
        tags=_TAGS,
    )
    def patch(self, request: Request, name: str) -> Response:
        values = _body(UserChangeSerializer, request)
        changes: UserChanges = {**values}  # type: ignore[typeddict-item]  # the serializer has checked them
        return Response(asdict(user_change(name=name, by=request.user.get_username(), **changes)))

    @extend_schema(
        operation_id="users_delete",
        summary="Delete a user",
        responses={204: OpenApiResponse(description="Deleted, with sessions and tokens")},
        tags=_TAGS,
    )
    def delete(self, request: Request, name: str) -> Response:
        user_delete(name=name, by=request.user.get_username())
        return Response(status=status.HTTP_204_NO_CONTENT)


class UserPasswordView(UserAdminView):
    @extend_schema(
        operation_id="users_reset_password",
        summary="Set the password of a user",
        description="Ends the user's sessions and unlocks the user.",
        request=PasswordResetSerializer,
        responses=PasswordResetResultSerializer,
        tags=_TAGS,
    )
    def post(self, request: Request, name: str) -> Response:
        wanted = _body(PasswordResetSerializer, request)["password"]
        password = password_reset(name=name, password=wanted, by=request.user.get_username())
        return Response({"password": password if wanted is None else None})


class UserUnlockView(UserAdminView):
    @extend_schema(
        operation_id="users_unlock",
        summary="Allow a user to try passwords again",
        request=None,
        responses=UnlockedSerializer,
        tags=_TAGS,
    )
    def post(self, request: Request, name: str) -> Response:
        return Response({"counters": user_unlock(name=name, by=request.user.get_username())})


class AddressUnlockView(UserAdminView):
    @extend_schema(
        operation_id="addresses_unlock",
        summary="Allow an address to try passwords again",
        request=AddressSerializer,
        responses=UnlockedSerializer,
        tags=_TAGS,
    )
    def post(self, request: Request) -> Response:
        address = _body(AddressSerializer, request)["address"]
        return Response({"counters": address_unlock(address=address, by=request.user.get_username())})


def _known(name: str) -> UserDto:
    user = user_find(name)
    if user is None:
        raise UserNotFoundError(f"there is no user {name}; GET /api/v2/users lists all")
    return user


def _body(serializer: Any, request: Request) -> dict[str, Any]:
    wanted = serializer(data=request.data)
    wanted.is_valid(raise_exception=True)
    values: dict[str, Any] = wanted.validated_data
    return values
