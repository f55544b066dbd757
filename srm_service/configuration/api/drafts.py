"""REST resources of drafts."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from rest_framework import status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.config.security.secrets import is_secret_name
from srm_service.configuration.api.answers import applied_answer, draft_answer
from srm_service.configuration.api.problems import INVALID_EXAMPLE, configuration_problems
from srm_service.configuration.api.queries import DraftListQuery
from srm_service.configuration.api.serializers import (
    AppliedSerializer,
    CheckedDraftSerializer,
    DraftChangeOrderSerializer,
    DraftListSerializer,
    DraftOrderSerializer,
    StepSerializer,
)
from srm_service.configuration.api.steps import changes_of, run_step
from srm_service.configuration.contracts import HIDDEN_VALUE, DraftDto, InvalidChangeError
from srm_service.configuration.drafts import (
    draft_apply,
    draft_change,
    draft_changes,
    draft_create,
    draft_delete,
    draft_find,
    draft_list,
)
from srm_service.configuration.selectors import current_version
from srm_service.configuration.services import apply_changes
from srm_service.core.api.etags import StateDifference, check_match, differences, etag_of, tagged
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import page_of
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole, includes, role_of

_TAGS = ["configuration"]
_LARGEST = 2**63 - 1


class DraftListView(APIView):
    required_role: UserRole = "operator"

    @operation("config_drafts_list", "Drafts by name", query=DraftListQuery, responses=DraftListSerializer, tags=_TAGS)
    def get(self, request: Request, *, query: Values) -> Response:
        page = page_of(draft_list(), query, key=_key, orderings=DraftListQuery.orderings, default="name")
        return list_response(page, draft_answer)

    @operation(
        "config_drafts_create",
        "Store a draft",
        body=DraftOrderSerializer,
        responses={201: CheckedDraftSerializer},
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
    )
    def post(self, request: Request, *, body: Values) -> Response:
        with configuration_problems():
            draft = draft_create(
                name=body["name"], author=request.user.get_username(), changes=changes_of(body["changes"])
            )
        return tagged(Response(_checked(draft), status=status.HTTP_201_CREATED), _etag(draft))


class DraftView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "config_drafts_detail",
        "A draft, checked against the current version",
        responses=CheckedDraftSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, draft_id: int) -> Response:
        with configuration_problems():
            draft = draft_find(min(draft_id, _LARGEST))
            return tagged(Response(_checked(draft)), _etag(draft))

    @operation(
        "config_drafts_change",
        "Rename a draft, or replace its changes",
        body=DraftChangeOrderSerializer,
        responses=CheckedDraftSerializer,
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
        if_match=True,
    )
    def patch(self, request: Request, draft_id: int, *, body: Values) -> Response:
        changes = body.get("changes")
        with configuration_problems():
            _check_owner(request, draft_find(min(draft_id, _LARGEST)))
            draft = draft_change(
                draft_id,
                name=body.get("name"),
                changes=None if changes is None else changes_of(changes),
                rebase=body["rebase"],
                by=request.user.get_username(),
                check=_check_match(request, body),
            )
        return tagged(Response(_checked(draft)), _etag(draft))

    @operation("config_drafts_delete", "Delete a draft", responses={204: None}, tags=_TAGS, if_match=True)
    def delete(self, request: Request, draft_id: int) -> Response:
        with configuration_problems():
            _check_owner(request, draft_find(min(draft_id, _LARGEST)))
            draft_delete(draft_id, by=request.user.get_username(), check=_check_match(request, {}))
        return Response(status=status.HTTP_204_NO_CONTENT)


class DraftApplyView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "config_drafts_apply",
        "Make a draft the next version, and delete it",
        body=StepSerializer,
        description="Without `If-Match`, the configuration must still be at the draft's base version.",
        responses=AppliedSerializer,
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
        if_match=True,
    )
    def post(self, request: Request, draft_id: int, *, body: Values) -> Response:
        return run_step(request, lambda **step: draft_apply(min(draft_id, _LARGEST), **step), body)


def _checked(draft: DraftDto) -> dict[str, Any]:
    """Return the draft with what it would change now; errors are findings."""
    effect: dict[str, Any] = {"differences": [], "clusters": [], "flows": []}
    try:
        applied = applied_answer(apply_changes(draft_changes(draft.id), by="", comment="", dry_run=True))
        findings = applied["findings"]
        effect = {name: applied[name] for name in effect}
        is_valid = True
    except InvalidChangeError as error:
        findings, is_valid = [asdict(each) for each in error.findings], False
    return {
        **draft_answer(draft),
        **effect,
        "current_version": current_version(),
        "is_valid": is_valid,
        "findings": findings,
    }


def _check_match(request: Request, body: Values) -> Callable[[DraftDto], None]:
    """Return a check of `If-Match` against the present state of the draft."""

    def check(draft: DraftDto) -> None:
        check_match(request, _etag(draft), lambda: _differences(draft, body))

    return check


def _differences(draft: DraftDto, body: Values) -> list[StateDifference]:
    """Return what the body wants otherwise than the draft, by name and key; secrets are hidden."""
    current: dict[str, Any] = {change.place.key: change.value for change in draft.changes}
    yours = {each["key"]: _shown(each["key"], each["value"]) for each in body.get("changes", ())}
    if "name" in body:
        current["name"], yours["name"] = draft.name, body["name"]
    return differences(yours, current)


def _shown(key: str, value: str | None) -> str | None:
    return HIDDEN_VALUE if value and is_secret_name(key) else value


def _etag(draft: DraftDto) -> str:
    return etag_of([draft.id, draft.base_version, draft.updated_at.isoformat()])


def _check_owner(request: Request, draft: DraftDto) -> None:
    if draft.author != request.user.get_username() and not includes(role_of(request.user), "admin"):
        raise PermissionDenied(f"the draft belongs to {draft.author}: copy it, or ask an admin")


def _key(draft: DraftDto) -> str:
    return f"{draft.id:020}"
