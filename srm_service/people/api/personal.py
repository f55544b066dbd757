"""REST resources of saved views and preferences. A person reaches the own ones only, also an admin."""

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
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.people.api.personal_serializers import (
    NewSavedViewSerializer,
    PreferencesChangeSerializer,
    PreferencesSerializer,
    SavedViewChangeSerializer,
    SavedViewListQuery,
    SavedViewListSerializer,
    SavedViewSerializer,
)
from srm_service.people.personal.contracts import PreferencesDto, SavedViewDto
from srm_service.people.personal.preferences import preferences_of, preferences_set
from srm_service.people.personal.saved_views import (
    ViewNotFoundError,
    ViewRefusedError,
    view_change,
    view_create,
    view_delete,
    view_find,
    view_list,
)

_TAGS = ["me"]


class PreferencesView(APIView):
    required_role: UserRole = "viewer"

    @operation("me_preferences", "The own preferences", responses=PreferencesSerializer, tags=_TAGS)
    def get(self, request: Request) -> Response:
        return _preferences(preferences_of(request.user.get_username()))

    @operation(
        "me_set_preferences",
        "Replace the own preferences",
        body=PreferencesChangeSerializer,
        responses=PreferencesSerializer,
        tags=_TAGS,
        if_match=True,
    )
    def put(self, request: Request, *, body: Values) -> Response:
        name = request.user.get_username()

        def check(stored: PreferencesDto) -> None:
            current = {name: list(value) for name, value in asdict(stored).items()}
            check_match(request, _etag(stored), diff=lambda: differences(body, current))

        return _preferences(preferences_set(owner=name, values=dict(body), by=name, check=check))


class SavedViewListView(APIView):
    required_role: UserRole = "viewer"

    @operation(
        "me_views", "The own saved views", query=SavedViewListQuery, responses=SavedViewListSerializer, tags=_TAGS
    )
    def get(self, request: Request, *, query: Values) -> Response:
        views = view_list(request.user.get_username(), query.get("page"))
        page = page_of(
            views, query, key=lambda view: f"{view.id:020}", orderings=SavedViewListQuery.orderings, default="name"
        )
        return list_response(page, asdict)

    @operation(
        "me_save_view",
        "Save a view",
        body=NewSavedViewSerializer,
        responses={201: SavedViewSerializer},
        tags=_TAGS,
    )
    def post(self, request: Request, *, body: Values) -> Response:
        name = request.user.get_username()
        try:
            view = view_create(owner=name, values=dict(body), by=name)
        except ViewRefusedError as error:
            raise ValidationError({error.field: str(error)}) from error
        return _view(view, status.HTTP_201_CREATED)


class SavedViewView(APIView):
    required_role: UserRole = "viewer"

    @operation("me_view", "A saved view", responses=SavedViewSerializer, tags=_TAGS)
    def get(self, request: Request, view_id: int) -> Response:
        try:
            return _view(view_find(request.user.get_username(), view_id))
        except ViewNotFoundError as error:
            raise NotFound(str(error)) from error

    @operation(
        "me_change_view",
        "Change a saved view",
        body=SavedViewChangeSerializer,
        responses=SavedViewSerializer,
        tags=_TAGS,
        if_match=True,
    )
    def patch(self, request: Request, view_id: int, *, body: Values) -> Response:
        name = request.user.get_username()

        def check(stored: SavedViewDto) -> None:
            check_match(request, _etag(stored), diff=lambda: differences(body, asdict(stored)))

        try:
            return _view(view_change(owner=name, view_id=view_id, values=dict(body), by=name, check=check))
        except ViewNotFoundError as error:
            raise NotFound(str(error)) from error
        except ViewRefusedError as error:
            raise ValidationError({error.field: str(error)}) from error

    @operation(
        "me_delete_view",
        "Delete a saved view",
        responses={204: OpenApiResponse(description="Deleted")},
        tags=_TAGS,
        if_match=True,
    )
    def delete(self, request: Request, view_id: int) -> Response:
        name = request.user.get_username()
        try:
            view_delete(owner=name, view_id=view_id, by=name, check=lambda stored: check_match(request, _etag(stored)))
        except ViewNotFoundError as error:
            raise NotFound(str(error)) from error
        return Response(status=status.HTTP_204_NO_CONTENT)


def _view(view: SavedViewDto, code: int = status.HTTP_200_OK) -> Response:
    return tagged(Response(asdict(view), status=code), _etag(view))


def _preferences(found: PreferencesDto) -> Response:
    return tagged(Response(asdict(found)), _etag(found))


def _etag(found: SavedViewDto | PreferencesDto) -> str:
    return etag_of(asdict(found))
