"""REST resources of consumer groups: readiness, partitions, group offset sync now, translations."""

from collections.abc import Callable, Iterable, Sequence

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from replication.domain.questions.json_shape import to_plain
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import page_of
from srm_service.core.api.requests import NoParameters, Values, checked_query
from srm_service.core.auth.roles import UserRole
from srm_service.flows.api.known_flow import known_flow
from srm_service.groups.api.answers import (
    GroupListSerializer,
    GroupPlacesSerializer,
    GroupSerializer,
    SyncReceiptsSerializer,
    TranslationsSerializer,
)
from srm_service.groups.api.serializers import (
    GroupListQuery,
    GroupsSyncSerializer,
    GroupSyncSerializer,
    TranslateSerializer,
    WaitQuery,
)
from srm_service.groups.contracts import ConsumerGroupNow
from srm_service.groups.selectors import UnknownGroupError, flow_groups, group_find, group_places, translations
from srm_service.groups.services import groups_sync
from srm_service.monitoring.api.shared_answers import shared_answer
from srm_service.monitoring.api.views import store_answers
from srm_service.monitoring.series.group_values import groups_of_topic
from srm_service.planning.api.answered import answered

_TAGS = ["consumer groups"]
_MOST_SKIPPED = 200
_SYNC = "sync"  # a path, and perhaps the name of a group
_NO_GROUP = {404: "us-east->eu-central has no consumer group invoices"}
_NO_WORKER = {503: "no control worker of target eu-central answers: start a driver that serves eu-central, and repeat"}


class GroupListView(APIView):
    @shared_answer
    @operation(
        "groups_list",
        "Consumer groups of a flow with their readiness",
        query=GroupListQuery,
        description="As of the last round of the flow's checkpoint tasks.",
        responses=GroupListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        flow = known_flow(source, target)
        found = flow_groups(flow)
        matching = _matching(found.groups, query)
        if query["topic"]:
            with store_answers():
                names = groups_of_topic(flow, query["topic"])
            matching = [group for group in matching if group.group in names]
        page = page_of(matching, query, key=lambda group: group.group, orderings=GroupListQuery.orderings)
        more = {
            "counts": to_plain(found.counts),
            "sync": to_plain(found.sync),
            "skipped": to_plain(found.skipped[:_MOST_SKIPPED]),
            "skipped_total": len(found.skipped),
        }
        return list_response(page, to_plain, partial=found.partial, more=more)


class GroupView(APIView):
    @operation("groups_detail", "A consumer group", responses=GroupSerializer, tags=_TAGS, problems=_NO_GROUP)
    def get(self, request: Request, source: str, target: str, group: str) -> Response:
        return _group(request, source, target, group)


class GroupPartitionsView(APIView):
    @operation(
        "groups_partitions",
        "The partitions of a consumer group: where it is, and where it continues on the target",
        query=WaitQuery,
        description="Asked of both clusters now, by the target's control worker. `unlooked` names what did not answer.",
        responses=GroupPlacesSerializer,
        tags=_TAGS,
        problems={**_NO_GROUP, **_NO_WORKER},
    )
    def get(self, request: Request, source: str, target: str, group: str, *, query: Values) -> Response:
        flow = known_flow(source, target)
        return _answered(lambda: group_places(flow, group, wait_ms=query["wait_ms"]))


class SyncView(APIView):
    """The sync of several groups; read, it is the group named `sync`."""

    required_role: UserRole = "operator"

    @extend_schema(exclude=True)
    def get(self, request: Request, source: str, target: str) -> Response:
        return _group(request, source, target, _SYNC)

    @operation(
        "groups_sync_all",
        "Write the committed offsets of several groups, or of all, to the target now",
        body=GroupsSyncSerializer,
        description="Forward only, and never into a group with members. One receipt per partition; `counts` has the "
        "number of all.",
        responses=SyncReceiptsSerializer,
        tags=_TAGS,
        problems=_NO_WORKER,
        keeps_answer=False,
    )
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        return _synced(request, known_flow(source, target), body, body["groups"])


class GroupSyncView(APIView):
    """The sync of a group; read, it is the group whose name ends with `/sync`."""

    required_role: UserRole = "operator"

    @extend_schema(exclude=True)
    def get(self, request: Request, source: str, target: str, group: str) -> Response:
        return _group(request, source, target, f"{group}/{_SYNC}")

    @operation(
        "groups_sync",
        "Write the committed offsets of a group to the target now",
        body=GroupSyncSerializer,
        description="Forward only, and never while the group has members on the target.",
        responses=SyncReceiptsSerializer,
        tags=_TAGS,
        problems={**_NO_GROUP, **_NO_WORKER},
        keeps_answer=False,
    )
    def post(self, request: Request, source: str, target: str, group: str, *, body: Values) -> Response:
        return _synced(request, known_flow(source, target), body, [group])


class TranslateView(APIView):
    required_role: UserRole = "viewer"  # changes nothing

    @operation(
        "replications_translate",
        "Translate offsets or times of any topic of the flow, in both directions",
        body=TranslateSerializer,
        description="`exact`: the first record that was not read. `bounded`: nothing unread lies before `offset`, and "
        "the exact place is not after `latest`. `impossible`: there is no safe place, and `evidence` says why.",
        responses=TranslationsSerializer,
        tags=_TAGS,
        problems=_NO_WORKER,
        keeps_answer=False,
    )
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        flow = known_flow(source, target)
        return _answered(lambda: translations(flow, body["items"], wait_ms=body["wait_ms"]))


def _group(request: Request, source: str, target: str, group: str) -> Response:
    checked_query(NoParameters, request)
    flow = known_flow(source, target)
    return _answered(lambda: group_find(flow, group))


def _matching(groups: Iterable[ConsumerGroupNow], query: Values) -> list[ConsumerGroupNow]:
    part = query["q"].lower()
    exact = {name: query[name] for name in ("readiness", "state", "type") if name in query}
    if query["group"]:
        exact["group"] = query["group"]
    return [
        group
        for group in groups
        if part in group.group.lower() and all(getattr(group, name) == value for name, value in exact.items())
    ]


def _synced(request: Request, flow: FlowId, body: Values, groups: Sequence[str]) -> Response:
    return _answered(
        lambda: groups_sync(
            flow,
            groups=groups,
            dry_run=body["dry_run"],
            reason=body["reason"],
            by=request.user.get_username(),
            limit=body["limit"],
            wait_ms=body["wait_ms"],
        )
    )


def _answered(ask: Callable[[], object]) -> Response:
    try:
        return answered(ask)
    except UnknownGroupError as error:
        raise NotFound(str(error)) from error
