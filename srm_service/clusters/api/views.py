"""REST resources of clusters."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from operator import attrgetter
from typing import Any

from rest_framework import status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.clusters.api.serializers import (
    ClusterChangeSerializer,
    ClusterCreateSerializer,
    ClusterListQuery,
    ClusterListSerializer,
    ClusterSerializer,
)
from srm_service.clusters.changes import (
    ClusterChange,
    ClusterConflictError,
    ClusterNotFoundError,
    IncompleteClusterError,
    cluster_change,
    cluster_create,
    cluster_delete,
)
from srm_service.clusters.contracts import ClusterDto
from srm_service.clusters.reachability import Reachability, board, reachable_now
from srm_service.clusters.same_cluster import same_cluster_warning
from srm_service.clusters.selectors import cluster_access, cluster_find, cluster_list
from srm_service.configuration.api.problems import INVALID_EXAMPLE, configuration_problems
from srm_service.configuration.forms.changes import FormAuthor, stored_state
from srm_service.core.api.description_fields import description_filter, description_of
from srm_service.core.api.etags import check_match, differences, etag_of, tagged
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import page_of
from srm_service.core.api.problem import Conflict
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms
from srm_service.core.web.request_id import current_request_id
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.flows.task_facts import doubted_clusters, lost_clusters

_WAIT_S = 4.0
_TAGS = ["clusters"]


class ClusterListView(APIView):
    required_role: UserRole = "admin"

    @operation("clusters_list", "List clusters", query=ClusterListQuery, responses=ClusterListSerializer, tags=_TAGS)
    def get(self, request: Request, *, query: Values) -> Response:
        described = description_filter(query)
        clusters = [
            cluster
            for cluster in cluster_list()
            if query["q"].lower() in cluster.alias.lower() and described.matches(cluster.description)
        ]
        page = page_of(clusters, query, key=attrgetter("alias"), orderings=ClusterListQuery.orderings)
        aliases = [cluster.alias for cluster in page.items]
        live = live_snapshot()
        stale = board.stale(aliases, doubted_clusters(live))
        if stale:
            for access in cluster_access(stale).values():
                board.start_probe(access)
        known, lost, at_ms = board.known(aliases), lost_clusters(live), now_ms()

        def answer(cluster: ClusterDto) -> dict[str, Any]:
            return _answer(cluster, reachable_now(known[cluster.alias], lost.get(cluster.alias), at_ms))

        return list_response(page, answer)

    @operation(
        "clusters_create",
        "Register a cluster",
        body=ClusterCreateSerializer,
        responses={201: ClusterSerializer},
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
    )
    def post(self, request: Request, *, body: Values) -> Response:
        with _problems():
            cluster = cluster_create(body["alias"], _change(body), _author(request, body["comment"]))
        return tagged(Response(_answer(cluster, Reachability()), status=status.HTTP_201_CREATED), _etag(cluster))


class ClusterDetailView(APIView):
    required_role: UserRole = "admin"

    @operation("clusters_detail", "A cluster, with a new reachability check", responses=ClusterSerializer, tags=_TAGS)
    def get(self, request: Request, alias: str) -> Response:
        cluster = cluster_find(alias)
        if cluster is None:
            raise NotFound(f"there is no cluster {alias}; GET /api/v2/clusters lists all")
        access = cluster_access([alias]).get(alias)
        if access is None:
            error = cluster.problem or "Its secrets cannot be decrypted: add the key that encrypted them."
            return tagged(Response(_answer(cluster, Reachability(error=error))), _etag(cluster))
        return tagged(Response(_answer(cluster, board.probe(access, _WAIT_S))), _etag(cluster))

    @operation(
        "clusters_change",
        "Change a cluster",
        body=ClusterChangeSerializer,
        responses=ClusterSerializer,
        description=(
            "Secrets that the body does not have stay. With other bootstrap servers, or other settings that begin with "
            "`security.`, `sasl.` or `ssl.`, they must be given again: a stored secret is never moved to another place."
        ),
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
        if_match=True,
    )
    def patch(self, request: Request, alias: str, *, body: Values) -> Response:
        check = _check_match(request, body)
        with _problems():
            cluster = cluster_change(alias, _change(body), _author(request, body["comment"]), check=check)
        seen = reachable_now(board.known([alias])[alias], None, now_ms())
        return tagged(Response(_answer(cluster, seen)), _etag(cluster))

    @operation(
        "clusters_delete",
        "Delete a cluster that no flow uses",
        responses={204: None},
        tags=_TAGS,
        problems=INVALID_EXAMPLE,
        if_match=True,
    )
    def delete(self, request: Request, alias: str) -> Response:
        with _problems():
            cluster_delete(alias, _author(request, ""), check=_check_match(request, {}))
        return Response(status=status.HTTP_204_NO_CONTENT)


@contextmanager
def _problems() -> Iterator[None]:
    """Answer refused changes with their problem documents."""
    try:
        with configuration_problems():
            yield
    except ClusterNotFoundError as error:
        raise NotFound(str(error)) from error
    except ClusterConflictError as error:
        raise Conflict(str(error)) from error
    except IncompleteClusterError as error:
        text = "the setting is missing, and an external cluster needs it: enter it"
        raise ValidationError({"client": dict.fromkeys(error.missing, text)}) from error


def _change(values: Values) -> ClusterChange:
    columns = description_of(values)
    if "location" in values:
        columns["location"] = values["location"]
    return ClusterChange(
        bootstrap=values.get("bootstrap"), client={**values["client"], **values["secrets"]}, columns=columns
    )


def _author(request: Request, comment: str) -> FormAuthor:
    return FormAuthor(by=request.user.get_username(), comment=comment, request_id=current_request_id())


def _check_match(request: Request, values: Values) -> Callable[[ClusterDto], None]:
    """Return a check of `If-Match` against the present state of the cluster."""

    def check(cluster: ClusterDto) -> None:
        yours = {name: value for name, value in values.items() if name not in ("secrets", "comment")}
        check_match(request, _etag(cluster), lambda: differences(yours, _settings(cluster)))

    return check


def _etag(cluster: ClusterDto) -> str:
    return etag_of([cluster.alias, cluster.changed_at.isoformat(), stored_state(alias=cluster.alias)])


def _settings(cluster: ClusterDto) -> dict[str, Any]:
    return {
        "alias": cluster.alias,
        "bootstrap": list(cluster.bootstrap),
        "client": cluster.client,
        "secret_names": list(cluster.secret_names),
        "location": cluster.location,
        "problem": cluster.problem,
        **asdict(cluster.description),
    }


def _answer(cluster: ClusterDto, reachability: Reachability) -> dict[str, Any]:
    warning = same_cluster_warning(cluster.alias, reachability.cluster_id)
    return {**_settings(cluster), **asdict(reachability), "warning": warning}
