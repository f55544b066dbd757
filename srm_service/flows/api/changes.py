"""Creating, changing and deleting flows over REST: the methods that `monitoring` adds to its resources of flows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from django.db import transaction
from rest_framework import status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from replication.domain.identifiers import FlowId
from srm_service.configuration.api.problems import INVALID_EXAMPLE, configuration_problems
from srm_service.configuration.forms.changes import FormAuthor, stored_state
from srm_service.core.api.description_fields import description_of
from srm_service.core.api.etags import check_match, differences, etag_of, tagged
from srm_service.core.api.operation import operation
from srm_service.core.api.problem import Conflict
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.core.web.request_id import current_request_id
from srm_service.flows.api.change_serializers import (
    FORM_FIELDS,
    FlowChangedSerializer,
    FlowCreateSerializer,
    FlowDeletionQuery,
    FlowFieldsSerializer,
    FlowSettingsSerializer,
)
from srm_service.flows.api.definition_text import definition_text
from srm_service.flows.api.dry_runs import OrderDryRunSerializer, dry_run_answer, flow_touches
from srm_service.flows.changes import (
    FlowSettingsChange,
    IncompletePolicyError,
    UnknownClusterError,
    flow_change,
    flow_create,
    flow_delete,
)
from srm_service.flows.contracts import FlowSettings
from srm_service.flows.selectors import flow_settings
from srm_service.flows.services import FlowChangeError, FlowNotFoundError, flow_pause
from srm_service.monitoring.flows.live_state import live_snapshot

_TAGS = ["replications"]


class FlowCreating:
    """POST on the list of flows."""

    required_role: UserRole = "operator"

    @operation(
        "replications_create",
        "Create a replication flow",
        body=FlowCreateSerializer,
        responses={201: FlowSettingsSerializer},
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
    )
    def post(self, request: Request, *, body: Values) -> Response:
        source, target = body["source"], body["target"]
        with flow_problems(), transaction.atomic():
            author = author_of(request, body)
            flow = flow_create(source, target, settings_change(body), author)
            if body["paused"]:
                reason = author.comment or "created paused"
                flow_pause(source=source, target=target, reason=reason, by=author.by, until=None, dry_run=False)
        return tagged(Response(settings_answer(flow), status=status.HTTP_201_CREATED), flow_etag(flow))


class FlowChanging:
    """PATCH and DELETE on a flow."""

    required_role: UserRole = "operator"

    @operation(
        "replications_change",
        "Change the settings of a flow",
        body=FlowFieldsSerializer,
        responses=FlowChangedSerializer,
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
        if_match=True,
    )
    def patch(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        check = _check_match(request, body)
        with flow_problems():
            changed = flow_change(source, target, settings_change(body), author_of(request, body), check=check)
        answer = {**settings_answer(changed.settings), "order": changed.order}
        return tagged(Response(answer), flow_etag(changed.settings))

    @operation(
        "replications_delete",
        "Delete a flow; its positions stay in the target cluster",
        description="A dry run answers 200 with the effect, and deletes nothing.",
        query=FlowDeletionQuery,
        responses={200: OrderDryRunSerializer, 204: None},
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
        if_match=True,
    )
    def delete(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        dry_run, author = query["dry_run"], author_of(request, query)
        with flow_problems():
            flow_delete(source, target, author, check=_check_match(request, {}), dry_run=dry_run)
        if dry_run:
            flow, live = FlowId(source, target), live_snapshot()
            return Response(dry_run_answer(flow_touches(flow, live), definition_text("delete", flow, live)))
        return Response(status=status.HTTP_204_NO_CONTENT)


def with_settings(response: Response, source: str, target: str) -> Response:
    """Add the settings and the ETag of a flow to its answer."""
    flow = flow_settings(source, target)
    if flow is None:
        raise NotFound(f"there is no replication {source}->{target}; GET /api/v2/replications lists all")
    response.data = {**response.data, "settings": settings_answer(flow)}
    return tagged(response, flow_etag(flow))


def settings_answer(flow: FlowSettings) -> dict[str, Any]:
    """Return the settings of a flow as JSON."""
    values = asdict(flow)
    description = values.pop("description")
    values.pop("changed_at")
    return {**values, **description}


def flow_etag(flow: FlowSettings) -> str:
    """Return the ETag of a flow's settings."""
    stored = stored_state(source=flow.source, target=flow.target)
    return etag_of([flow.source, flow.target, flow.changed_at.isoformat(), stored])


def author_of(request: Request, values: Values) -> FormAuthor:
    """Return who changes the tree with this request."""
    comment = values.get("comment") or values.get("reason") or ""
    return FormAuthor(by=request.user.get_username(), comment=comment, request_id=current_request_id())


@contextmanager
def flow_problems() -> Iterator[None]:
    """Answer refused changes with their problem documents."""
    try:
        with configuration_problems():
            yield
    except FlowNotFoundError as error:
        raise NotFound(str(error)) from error
    except UnknownClusterError as error:
        raise ValidationError({error.field: str(error)}) from error
    except IncompletePolicyError as error:
        raise ValidationError({"policy": {"template": str(error)}}) from error
    except FlowChangeError as error:
        raise Conflict(str(error)) from error


def settings_change(values: Values) -> FlowSettingsChange:
    """Return the settings of a request's body."""
    return FlowSettingsChange(
        fields={name: values[name] for name in FORM_FIELDS if name in values},
        policy=values.get("policy", {}),
        properties=values["properties"],
        description=description_of(values),
    )


def _check_match(request: Request, values: Values) -> Callable[[FlowSettings], None]:
    """Return a check of `If-Match` against the present state of the flow."""

    def check(flow: FlowSettings) -> None:
        yours = {name: value for name, value in values.items() if name not in ("properties", "comment")}
        check_match(request, flow_etag(flow), lambda: differences(yours, settings_answer(flow)))

    return check
