"""REST resources of users, for admins."""

from collections.abc import Callable
from dataclasses import asdict

from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.etags import check_match, differences, etag_of, tagged
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import page_of
from srm_service.core.api.problem import Conflict
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.people.api.serializers import (
    AddressSerializer,
    CreatedUserSerializer,
    NewUserSerializer,
    PasswordResetResultSerializer,
    PasswordResetSerializer,
    UnlockedSerializer,
    UserChangeSerializer,
    UserListQuery,
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
    @operation("users_list", "Users", query=UserListQuery, responses=UserListSerializer, tags=_TAGS)
    def get(self, request: Request, *, query: Values) -> Response:
        page = page_of(user_list(), query, key=lambda user: user.name, orderings=UserListQuery.orderings)
        return list_response(page, asdict)

    @operation(
        "users_create",
        "Create a user",
        keeps_answer=False,
        body=NewUserSerializer,
        responses={201: CreatedUserSerializer},
        tags=_TAGS,
    )
    def post(self, request: Request, *, body: Values) -> Response:
        user, password = user_create(**body, by=request.user.get_username())
        shown = password if body["password"] is None else None
        answer = Response({**asdict(user), "password": shown}, status=status.HTTP_201_CREATED)
        return tagged(answer, _etag(user))


class UserView(UserAdminView):
    @operation("users_detail", "A user", responses=UserSerializer, tags=_TAGS)
    def get(self, request: Request, name: str) -> Response:
        user = _known(name)
        return tagged(Response(asdict(user)), _etag(user))

    @operation(
        "users_change",
        "Change the role of a user, disable or enable the user",
        body=UserChangeSerializer,
        description="The last admin keeps the role and remains active (409).",
        responses=UserSerializer,
        tags=_TAGS,
        if_match=True,
    )
    def patch(self, request: Request, name: str, *, body: Values) -> Response:
        changes: UserChanges = {**body}  # type: ignore[typeddict-item]  # the serializer has checked them
        check = _check_match(request, body)
        user = user_change(name=name, by=request.user.get_username(), check=check, **changes)
        return tagged(Response(asdict(user)), _etag(user))

    @operation(
        "users_delete",
        "Delete a user",
        responses={204: OpenApiResponse(description="Deleted, with sessions and tokens")},
        tags=_TAGS,
        if_match=True,
    )
    def delete(self, request: Request, name: str) -> Response:
        user_delete(name=name, by=request.user.get_username(), check=_check_match(request, {}))
        return Response(status=status.HTTP_204_NO_CONTENT)


class UserPasswordView(UserAdminView):
    @operation(
        "users_reset_password",
        "Set the password of a user",
        keeps_answer=False,
        body=PasswordResetSerializer,
        description="Ends the user's sessions and unlocks the user.",
        responses=PasswordResetResultSerializer,
        tags=_TAGS,
    )
    def post(self, request: Request, name: str, *, body: Values) -> Response:
        wanted = body["password"]
        password = password_reset(name=name, password=wanted, by=request.user.get_username())
        return Response({"password": password if wanted is None else None})


class UserUnlockView(UserAdminView):
    @operation("users_unlock", "Allow a user to try passwords again", responses=UnlockedSerializer, tags=_TAGS)
    def post(self, request: Request, name: str) -> Response:
        return Response({"counters": user_unlock(name=name, by=request.user.get_username())})


class AddressUnlockView(UserAdminView):
    @operation(
        "addresses_unlock",
        "Allow an address to try passwords again",
        body=AddressSerializer,
        responses=UnlockedSerializer,
        tags=_TAGS,
    )
    def post(self, request: Request, *, body: Values) -> Response:
        return Response({"counters": address_unlock(address=body["address"], by=request.user.get_username())})


def _check_match(request: Request, wanted: Values) -> Callable[[UserDto], None]:
    """Return a check of `If-Match` against the present state of the user."""

    def check(user: UserDto) -> None:
        check_match(request, _etag(user), lambda: differences(wanted, asdict(user)))

    return check


def _etag(user: UserDto) -> str:
    """Return the ETag of what admins change; a login is no change."""
    return etag_of([user.name, user.created_ms, user.role, user.active])


def _known(name: str) -> UserDto:
    user = user_find(name)
    if user is None:
        raise UserNotFoundError(f"there is no user {name}; GET /api/v2/users lists all")
    return user
