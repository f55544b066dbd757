"""REST resource of what an audit would read."""

from dataclasses import asdict

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.audits.audit_estimate import AuditEstimate, audit_estimate
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.operation import operation
from srm_service.core.clock import now_ms
from srm_service.flows.api.known_flow import known_flow
from srm_service.monitoring.api.views import store_answers
from srm_service.monitoring.flows.live_state import live_snapshot


class AuditEstimateSerializer(DataclassSerializer):
    """The reading of a full audit of the flow."""

    shape = AuditEstimate


class AuditEstimateView(APIView):
    @operation(
        "audits_estimate",
        "Estimate of a full audit of the flow",
        responses=AuditEstimateSerializer,
        description="By the newest reports of its partitions. Starts nothing.",
        tags=["audits"],
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        flow = known_flow(source, target)
        with store_answers():
            estimate = audit_estimate(flow, live_snapshot(), now_ms())
        return Response(asdict(estimate))
