"""REST resources of audits: request, list, read and cancel."""

from dataclasses import asdict
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
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
    findings_page,
)
from srm_service.core.api.problem import Conflict
from srm_service.core.auth.roles import UserRole
from srm_service.core.clock import now_ms
from srm_service.flows.api.known_flow import known_flow
from srm_service.monitoring.flows.live_state import live_snapshot

_TAGS = ["audits"]


class AuditListView(APIView):
    required_role: UserRole = "operator"

    @extend_schema(
        operation_id="audits_list",
        summary="Audits of a flow",
        parameters=[AuditListQuery],
        responses=AuditListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        flow = known_flow(source, target)
        audits = audit_list(flow, _checked(AuditListQuery, request)["limit"])
        return Response(
            {"items": [_answer(audit) for audit in audits], "next_cursor": None, "as_of_ms": now_ms(), "partial": []}
        )

    @extend_schema(
        operation_id="audits_request",
        summary="Compare source and copy record by record",
        request=AuditRequestSerializer,
        responses={202: AuditSerializer},
        tags=_TAGS,
    )
    def post(self, request: Request, source: str, target: str) -> Response:
        wanted = AuditRequestSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        values = wanted.validated_data
        flow = known_flow(source, target)
        audit_request = AuditRequest(**{**values, "sample": values["sample"] if values["mode"] == "sample" else 1})
        try:
            number = audit_start(flow, audit_request, by=request.user.get_username())
        except UnknownAuditTopicError as error:
            raise NotFound(str(error)) from error
        except AuditRefusedError as error:
            raise Conflict(str(error)) from error
        return Response(_answer(_known_audit(flow, number or 0)), status=status.HTTP_202_ACCEPTED)


class AuditStandingView(APIView):
    @extend_schema(
        operation_id="audits_state",
        summary="The result of all audits by topic",
        parameters=[AuditStandingQuery],
        responses=AuditStandingSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        state = audit_state(known_flow(source, target), live_snapshot())
        listed = state.topics[: _checked(AuditStandingQuery, request)["limit"]]
        return Response(
            {
                "verdict": state.verdict,
                "topics_total": len(state.topics),
                "by_verdict": state.counts,
                "topics": [asdict(topic) for topic in listed],
                "as_of_ms": now_ms(),
            }
        )


class AuditView(APIView):
    required_role: UserRole = "operator"

    @extend_schema(
        operation_id="audits_detail", summary="An audit by topic", responses=AuditDetailSerializer, tags=_TAGS
    )
    def get(self, request: Request, source: str, target: str, audit_id: int) -> Response:
        audit = _known_audit(known_flow(source, target), audit_id)
        return Response({**_answer(audit), "topics": [asdict(topic) for topic in audit.topics]})

    @extend_schema(operation_id="audits_cancel", summary="Cancel an audit", responses=AuditSerializer, tags=_TAGS)
    def delete(self, request: Request, source: str, target: str, audit_id: int) -> Response:
        flow = known_flow(source, target)
        _known_audit(flow, audit_id)
        try:
            audit_end(flow, audit_id, by=request.user.get_username())
        except AuditNotOpenError as error:
            raise Conflict(str(error)) from error
        return Response(_answer(_known_audit(flow, audit_id)))


class FindingListView(APIView):
    @extend_schema(
        operation_id="audits_findings",
        summary="The findings of an audit",
        parameters=[FindingListQuery],
        responses=FindingListSerializer,
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, audit_id: int) -> Response:
        query = _checked(FindingListQuery, request)
        _known_audit(known_flow(source, target), audit_id)
        kinds = [query["kind"]] if "kind" in query else []
        found, following = findings_page(
            audit_id, topic=query["topic"], kinds=kinds, after=query["cursor"], limit=query["limit"]
        )
        items = [{name: value for name, value in asdict(finding).items() if name != "id"} for finding in found]
        cursor = None if following is None else str(following)
        return Response({"items": items, "next_cursor": cursor, "as_of_ms": now_ms(), "partial": []})


class ReportView(APIView):
    @extend_schema(
        operation_id="audits_report",
        summary="The report of an audit",
        parameters=[ReportQuery],
        responses={(200, "text/markdown"): OpenApiResponse(OpenApiTypes.STR, description="Markdown")},
        tags=_TAGS,
    )
    def get(self, request: Request, source: str, target: str, audit_id: int) -> HttpResponse:
        limit = _checked(ReportQuery, request)["limit"]
        audit = _known_audit(known_flow(source, target), audit_id)
        found, following = findings_page(audit_id, limit=limit) if limit else ((), None)
        text = audit_report(audit, found, more=following is not None)
        return HttpResponse(text, content_type="text/markdown; charset=utf-8")


def _known_audit(flow: FlowId, audit_id: int) -> Audit:
    audit = audit_find(flow, audit_id)
    if audit is None:
        raise NotFound(f"{flow.source}->{flow.target} has no audit {audit_id}")
    return audit


def _checked(query: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    serializer = query(data=request.query_params)
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = serializer.validated_data
    return values


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
