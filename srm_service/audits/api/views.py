"""REST resources of audits: request, list, read and cancel."""

from dataclasses import asdict
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.audits.api.serializers import (
    AuditDetailSerializer,
    AuditListQuery,
    AuditListSerializer,
    AuditRequestSerializer,
    AuditSerializer,
    AuditStandingQuery,
    AuditStandingSerializer,
    FindingListQuery,
    FindingListSerializer,
    ReportQuery,
)
from srm_service.audits.audit_report import audit_report
from srm_service.audits.audit_state import audit_state
from srm_service.audits.requests import AuditRefusedError, AuditRequest, UnknownAuditTopicError, audit_end, audit_start
from srm_service.audits.selectors import (
    Audit,
    AuditNotOpenError,
    audit_find,
    audit_list,
    findings_first,
    findings_of,
    stored_finding,
)
from srm_service.core.api.lists import list_response
from srm_service.core.api.negotiation import AnyAccepted
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import Page, encode_cursor, page_of
from srm_service.core.api.problem import Conflict
from srm_service.core.api.requests import Values
from srm_service.core.api.row_pages import id_in_cursor, rows_page, with_start
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms
from srm_service.flows.api.known_flow import known_flow
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.models import AuditFinding

_TAGS = ["audits"]


class AuditListView(APIView):
    required_role: UserRole = "operator"

    @operation("audits_list", "Audits of a flow", query=AuditListQuery, responses=AuditListSerializer, tags=_TAGS)
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        flow, limit = known_flow(source, target), query["limit"]
        ordering = query.get("ordering") or "-id"
        beyond = id_in_cursor(query["cursor"], ordering)
        audits = audit_list(flow, limit + 1, beyond=beyond, oldest_first=ordering == "id")
        following = encode_cursor(ordering, None, str(audits[limit - 1].id)) if len(audits) > limit else None
        return list_response(Page(audits[:limit], following), _answer)

    @operation(
        "audits_request",
        "Compare source and copy record by record",
        body=AuditRequestSerializer,
        responses={202: AuditSerializer},
        tags=_TAGS,
        problems={409: "audit 7 of us-east->eu-central has not ended; cancel it first"},
    )
    def post(self, request: Request, source: str, target: str, *, body: Values) -> Response:
        flow = known_flow(source, target)
        wanted = AuditRequest(**{**body, "sample": body["sample"] if body["mode"] == "sample" else 1})
        try:
            number = audit_start(flow, wanted, by=request.user.get_username())
        except UnknownAuditTopicError as error:
            raise NotFound(str(error)) from error
        except AuditRefusedError as error:
            raise Conflict(str(error)) from error
        return Response(_answer(_known_audit(flow, number or 0)), status=status.HTTP_202_ACCEPTED)


class AuditStandingView(APIView):
    @operation(
        "audits_state",
        "The result of all audits by topic",
        query=AuditStandingQuery,
        responses=AuditStandingSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        state = audit_state(known_flow(source, target), live_snapshot())
        ranks = {topic.topic: f"{rank:09}" for rank, topic in enumerate(state.topics)}
        wanted = [topic for topic in state.topics if query["topic"] in ("", topic.topic)]
        page = page_of(wanted, query, key=lambda topic: ranks[topic.topic], orderings=AuditStandingQuery.orderings)
        return Response(
            {
                "verdict": state.verdict,
                "topics_total": len(state.topics),
                "by_verdict": state.counts,
                "topics": [asdict(topic) for topic in page.items],
                "next_cursor": page.next_cursor,
                "as_of_ms": now_ms(),
            }
        )


class AuditView(APIView):
    required_role: UserRole = "operator"

    @operation("audits_detail", "An audit by topic", responses=AuditDetailSerializer, tags=_TAGS)
    def get(self, request: Request, source: str, target: str, audit_id: int) -> Response:
        audit = _known_audit(known_flow(source, target), audit_id)
        return Response({**_answer(audit), "topics": [asdict(topic) for topic in audit.topics]})

    @operation(
        "audits_cancel",
        "Cancel an audit",
        responses=AuditSerializer,
        tags=_TAGS,
        problems={409: "audit 7 has already ended (done): there is nothing to cancel"},
    )
    def delete(self, request: Request, source: str, target: str, audit_id: int) -> Response:
        flow = known_flow(source, target)
        _known_audit(flow, audit_id)
        try:
            audit_end(flow, audit_id, by=request.user.get_username())
        except AuditNotOpenError as error:
            raise Conflict(str(error)) from error
        return Response(_answer(_known_audit(flow, audit_id)))


class FindingListView(APIView):
    @operation(
        "audits_findings",
        "The findings of an audit",
        query=FindingListQuery,
        responses=FindingListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, audit_id: int, *, query: Values) -> Response:
        _known_audit(known_flow(source, target), audit_id)
        kinds = [query["kind"]] if "kind" in query else []
        found = with_start(findings_of(audit_id, topic=query["topic"], kinds=kinds), "detail")
        page = rows_page(found, query, orderings=FindingListQuery.orderings, default="id")
        return list_response(page, _finding)


class ReportView(APIView):
    content_negotiation_class = AnyAccepted

    @operation(
        "audits_report",
        "The report of an audit",
        query=ReportQuery,
        responses={(200, "text/markdown"): OpenApiResponse(OpenApiTypes.STR, description="Markdown")},
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, audit_id: int, *, query: Values) -> HttpResponse:
        audit = _known_audit(known_flow(source, target), audit_id)
        found, more = findings_first(audit_id, query["limit"]) if query["limit"] else ((), False)
        return HttpResponse(audit_report(audit, found, more=more), content_type="text/markdown; charset=utf-8")


def _known_audit(flow: FlowId, audit_id: int) -> Audit:
    audit = audit_find(flow, audit_id)
    if audit is None:
        raise NotFound(f"{flow.source}->{flow.target} has no audit {audit_id}")
    return audit


def _finding(row: AuditFinding) -> dict[str, Any]:
    return {name: value for name, value in asdict(stored_finding(row)).items() if name != "id"}


def _answer(audit: Audit) -> dict[str, Any]:
    proven = [topic.proven_until_ms for topic in audit.topics]
    known = [each for each in proven if each is not None]
    return {
        "id": audit.id,
        "source": audit.source,
        "target": audit.target,
        "state": audit.state,
        "verdict": audit.verdict,
        "mode": audit.mode,
        "requested_ms": audit.requested_ms,
        "requested_by": audit.requested_by,
        "scheduled": audit.scheduled,
        "progress": {"done": audit.done, "text": audit.text},
        "error": audit.error,
        "silent_ms": None if audit.heard_ms is None else max(0, now_ms() - audit.heard_ms),
        "topics_asked": audit.topics_asked,
        "first_topics": list(audit.first_topics),
        "topics_done": sum(1 for topic in audit.topics if topic.state == "done"),
        "records_source": sum(topic.records_source for topic in audit.topics),
        "records_target": sum(topic.records_target for topic in audit.topics),
        "findings": audit.findings,
        "proven_until_ms": min(known) if known and len(known) == len(proven) == audit.topics_asked else None,
    }
