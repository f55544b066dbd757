"""REST resources of connection tests."""

import time
from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.config.files.providers import ProviderError, resolve
from replication.domain.connection_test.report import BrokerReport, ConnectionReport, first_problem
from replication.domain.connection_test.rights import ClusterUse
from replication.domain.connection_test.steps import first_failure
from srm_service.clusters.api.connection_serializers import (
    ConnectionReportSerializer,
    ConnectionTestSerializer,
    DefinitionTestSerializer,
)
from srm_service.clusters.connection_tests import TooManyTestsError, run_connection_test
from srm_service.clusters.contracts import ClusterAccess
from srm_service.clusters.same_cluster import same_cluster_warning
from srm_service.clusters.selectors import cluster_access, cluster_find
from srm_service.clusters.stored_secrets import usable_secrets
from srm_service.configuration.api.problems import configuration_problems
from srm_service.core.api.operation import operation
from srm_service.core.api.problem import Conflict, Unavailable
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import UserRole
from srm_service.flows.selectors import flow_list

_TAGS = ["clusters"]
_ANY_USE: tuple[ClusterUse, ...] = ("source", "target")
_UNSAVED = "new"


class ConnectionTestView(APIView):
    required_role: UserRole = "operator"

    @operation(
        "clusters_test",
        "Test the connection to each broker of a cluster",
        body=ConnectionTestSerializer,
        responses=ConnectionReportSerializer,
        tags=_TAGS,
        keeps_answer=False,
    )
    def post(self, request: Request, alias: str, *, body: Values) -> Response:
        if cluster_find(alias) is None:
            raise NotFound(f"there is no cluster {alias}; GET /api/v2/clusters lists all")
        access = cluster_access([alias]).get(alias)
        if access is None:
            raise Conflict(f"the settings of {alias} cannot be read; its field `problem` and the log say why")
        uses = body.get("used_as") or _uses_of(alias)
        return Response(_tested(request, access, uses, body["timeout_ms"], alias))


class DefinitionTestView(APIView):
    required_role: UserRole = "admin"

    @operation(
        "clusters_test_definition",
        "Test the connection to a cluster that is not stored, or to an edited one before it is saved",
        body=DefinitionTestSerializer,
        responses=ConnectionReportSerializer,
        description=(
            "With the `alias` of a stored cluster, its stored secrets are used unless the body has them too, or null. "
            "They are sent only to the stored bootstrap servers, and with the stored settings that begin with "
            "`security.`, `sasl.` or `ssl.`: if the body has others, secrets must be given again."
        ),
        tags=_TAGS,
        keeps_answer=False,
    )
    def post(self, request: Request, *, body: Values) -> Response:
        access = ClusterAccess(
            alias=body["alias"] or _UNSAVED,
            bootstrap=tuple(body["bootstrap"]),
            client=_present(body["client"]),
            secrets={**_stored_secrets(body), **_resolved(_present(body["secrets"]))},
        )
        return Response(_tested(request, access, body.get("used_as") or _ANY_USE, body["timeout_ms"], body["alias"]))


def _tested(
    request: Request, access: ClusterAccess, uses: Collection[ClusterUse], timeout_ms: int, alias: str
) -> dict[str, Any]:
    begun_s = time.monotonic()
    try:
        report = run_connection_test(access, uses=uses, deadline_s=timeout_ms / 1000, by=request.user.get_username())
    except TooManyTestsError as error:
        raise Unavailable(str(error)) from error
    return _answer(report, round((time.monotonic() - begun_s) * 1000), alias)


def _uses_of(alias: str) -> tuple[ClusterUse, ...]:
    """The uses of a cluster by its flows; both without flows."""
    flows = flow_list()
    uses: list[ClusterUse] = []
    if any(flow.source == alias for flow in flows):
        uses.append("source")
    if any(flow.target == alias for flow in flows):
        uses.append("target")
    return tuple(uses) or _ANY_USE


def _present(values: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}


def _stored_secrets(body: Values) -> dict[str, str]:
    """Return the secrets of the stored cluster that the edit leaves as they are. Raises ValidationError."""
    stored = cluster_find(body["alias"])
    if stored is None:
        return {}
    given = {*body["client"], *body["secrets"]}
    with configuration_problems():
        names = usable_secrets(stored, body["bootstrap"], _present(body["client"]), given)
    access = cluster_access([stored.alias]).get(stored.alias) if names else None
    return {} if access is None else {name: access.secrets[name] for name in names}


def _resolved(secrets: dict[str, str]) -> dict[str, str]:
    """Look references up. Only values that no answer shows may have them."""
    found: dict[str, str] = {}
    wrong: dict[str, str] = {}
    for name, value in secrets.items():
        try:
            found[name] = resolve(value)
        except ProviderError as error:
            wrong[name] = str(error)
    if wrong:
        raise ValidationError({"secrets": wrong})
    return found


def _answer(report: ConnectionReport, took_ms: int, alias: str) -> dict[str, Any]:
    return {
        "ok": report.ok,
        "took_ms": took_ms,
        "error": report.error,
        "problem": report.error or first_problem(report.brokers) or "",
        "warning": same_cluster_warning(alias, report.cluster_id),
        "cluster_id": report.cluster_id,
        "untested": report.untested,
        "brokers": [_broker(broker) for broker in report.brokers],
    }


def _broker(broker: BrokerReport) -> dict[str, Any]:
    failed = first_failure(broker.steps)
    return {
        **asdict(broker),
        "ok": broker.ok,
        "failed_step": None if failed is None else failed.name,
    }
