"""REST resources of the own password, and of sessions and tokens: the own ones, and those of others for admins."""

from dataclasses import asdict

from django.contrib.auth import authenticate, update_session_auth_hash
from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.exceptions import NotFound, PermissionDenied, Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.api.etags import check_match, etag_of, tagged
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import page_of
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole, includes, role_limit, role_of
from srm_service.people.api.serializers import (
    CreatedTokenSerializer,
    NewTokenSerializer,
    OwnerQuery,
    OwnPasswordSerializer,
    SessionListQuery,
    SessionListSerializer,
    SessionsEndedSerializer,
    TokenListQuery,
    TokenListSerializer,
    TokenSerializer,
)
from srm_service.people.attempts import TooManyAttemptsError
from srm_service.people.auth.session_store import session_id
from srm_service.people.contracts import TokenDto
from srm_service.people.selectors import session_list, token_find, token_list
from srm_service.people.services import PasswordRefusedError, password_change
from srm_service.people.sessions import SessionNotFoundError, session_end, sessions_end
from srm_service.people.tokens import TokenNotFoundError, TokenRefusedError, token_create, token_revoke


class OwnPasswordView(APIView):
    required_role: UserRole = "viewer"

    @operation(
        "me_change_password",
        "Change the own password",
        keeps_answer=False,
        body=OwnPasswordSerializer,
        description="Ends the other sessions of the user.",
        responses={204: OpenApiResponse(description="Changed")},
        tags=["me"],
    )
    def post(self, request: Request, *, body: Values) -> Response:
        name = request.user.get_username()
        user = _verified(request, name, body["old_password"])
        try:
            password_change(user=user, password=body["new_password"], keep_session=_current(request), by=name)
        except PasswordRefusedError as error:
            raise ValidationError({"new_password": str(error)}) from error
        if request.auth is None and request.session.session_key:
            update_session_auth_hash(request._request, user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class SessionListView(APIView):
    required_role: UserRole = "viewer"

    @operation(
        "sessions_list", "Open sessions", query=SessionListQuery, responses=SessionListSerializer, tags=["sessions"]
    )
    def get(self, request: Request, *, query: Values) -> Response:
        sessions = session_list(_owner(request, query["user"]), current=_current(request))
        page = page_of(
            sessions, query, key=lambda row: row.id, orderings=SessionListQuery.orderings, default="-started_ms"
        )
        return list_response(page, asdict)

    @operation(
        "sessions_end_all",
        "End all sessions of a user but the present one",
        query=OwnerQuery,
        responses=SessionsEndedSerializer,
        tags=["sessions"],
    )
    def delete(self, request: Request, *, query: Values) -> Response:
        wanted = query["user"]
        name = request.user.get_username()
        user = _owner(request, wanted or name) or name
        return Response({"ended": sessions_end(user=user, keep=_current(request), by=name)})


class SessionView(APIView):
    required_role: UserRole = "viewer"

    @operation(
        "sessions_end", "End a session", responses={204: OpenApiResponse(description="Ended")}, tags=["sessions"]
    )
    def delete(self, request: Request, ended: str) -> Response:
        try:
            session_end(session_id=ended, owner=_owner(request, ""), by=request.user.get_username())
        except SessionNotFoundError as error:
            raise NotFound(str(error)) from error
        return Response(status=status.HTTP_204_NO_CONTENT)


class TokenListView(APIView):
    required_role: UserRole = "viewer"

    @operation("tokens_list", "API tokens", query=TokenListQuery, responses=TokenListSerializer, tags=["tokens"])
    def get(self, request: Request, *, query: Values) -> Response:
        tokens = token_list(_owner(request, query["user"]))
        page = page_of(tokens, query, key=lambda row: row.id, orderings=TokenListQuery.orderings, default="-created_ms")
        return list_response(page, asdict)

    @operation(
        "tokens_create",
        "Create an API token",
        keeps_answer=False,
        body=NewTokenSerializer,
        description="A token creates others only with the scope `admin`.",
        responses={201: CreatedTokenSerializer},
        tags=["tokens"],
    )
    def post(self, request: Request, *, body: Values) -> Response:
        role = role_of(request.user)
        if role_limit(request.user) is not None and role != "admin":
            raise PermissionDenied("a token creates others only with the scope admin: log in with a password")
        name = request.user.get_username()
        wanted = {"name": body["name"], "scopes": body["scopes"], "expires_at": body["expires_at"]}
        try:
            token, text = token_create(owner=User.objects.get(username=name), role=role, **wanted, by=name)
        except TokenRefusedError as error:
            raise ValidationError({"scopes": str(error)}) from error
        return tagged(Response({**asdict(token), "token": text}, status=status.HTTP_201_CREATED), _etag(token))


class TokenView(APIView):
    required_role: UserRole = "viewer"

    @operation("tokens_detail", "An API token", responses=TokenSerializer, tags=["tokens"])
    def get(self, request: Request, prefix: str) -> Response:
        token, owner = token_find(prefix), _owner(request, "")
        if token is None or owner not in (None, token.owner):
            raise NotFound(f"there is no token {prefix}; GET /api/v2/tokens lists them")
        return tagged(Response(asdict(token)), _etag(token))

    @operation(
        "tokens_revoke",
        "Revoke an API token",
        responses={204: OpenApiResponse(description="Revoked; the token stays in the list")},
        tags=["tokens"],
        if_match=True,
    )
    def delete(self, request: Request, prefix: str) -> Response:
        try:
            token_revoke(
                prefix=prefix,
                owner=_owner(request, ""),
                by=request.user.get_username(),
                check=lambda token: check_match(request, _etag(token)),
            )
        except TokenNotFoundError as error:
            raise NotFound(str(error)) from error
        return Response(status=status.HTTP_204_NO_CONTENT)


def _etag(token: TokenDto) -> str:
    """Return the ETag of a token; its use is no change."""
    return etag_of([token.id, token.revoked_ms])


def _owner(request: Request, wanted: str) -> str | None:
    """Return the user whose objects the request may see: its own, or for admins the wanted one or any (None)."""
    name = request.user.get_username()
    if includes(role_of(request.user), "admin"):
        return wanted or None
    if wanted not in ("", name):
        raise PermissionDenied(f"objects of {wanted} need the admin role; without `user` your own are listed")
    return name


def _verified(request: Request, name: str, password: str) -> User:
    """Return the user if the password is right, as a login does."""
    try:
        user = authenticate(request._request, username=name, password=password)
    except TooManyAttemptsError as error:
        raise Throttled(wait=error.wait_s, detail=str(error)) from error
    if not isinstance(user, User):
        raise ValidationError({"old_password": "this is not your password: enter the present one"})
    return user


def _current(request: Request) -> str:
    key = request.session.session_key
    return session_id(key) if key else ""
