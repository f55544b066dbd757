"""The views that only other services read: the own flows, and nothing that a third service reports."""

from dataclasses import asdict

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from replication.domain.identifiers import FlowId
from srm_service.core.api.requests import checked_query
from srm_service.flows.selectors import desired_revisions, reported_targets
from srm_service.monitoring.api.answers import flow_answer
from srm_service.monitoring.api.queries import WindowQuery
from srm_service.monitoring.api.views import window_metrics
from srm_service.monitoring.flows.flow_ahead import flows_proven
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.flows.overview import overview
from srm_service.monitoring.flows.revisions import flow_revisions
from srm_service.monitoring.flows.topics import live_topics
from srm_service.monitoring.peers.answers import PARTS
from srm_service.monitoring.peers.flow_report import report_of
from srm_service.remote.api.internal import InternalView, hello


class FlowReportView(InternalView):
    def get(self, request: Request) -> Response:
        return Response({**hello(), "targets": sorted(reported_targets()), **report_of(overview(), live_snapshot())})


class FlowAnswersView(InternalView):
    def get(self, request: Request) -> Response:
        query = checked_query(WindowQuery, request)
        flows, live, desired = overview().flows, live_snapshot(), desired_revisions()
        metrics = window_metrics(flows, query)
        proven = flows_proven([FlowId(flow.source, flow.target) for flow in flows])
        found = {}
        for flow in flows:
            flow_id = FlowId(flow.source, flow.target)
            revisions = flow_revisions(flow_id, live, desired)
            answer = flow_answer(flow, metrics[flow_id], (), proven.get(flow_id), revisions)
            found[flow.key] = {name: answer[name] for name in PARTS}
        return Response({**hello(), "flows": found})


class LiveTopicsView(InternalView):
    def get(self, request: Request, source: str, target: str) -> Response:
        if overview().find(source, target) is None:
            raise NotFound(f"this service reports no replication {source}->{target}")
        topics = live_topics(FlowId(source, target), live_snapshot())
        return Response({**hello(), "topics": [asdict(topic) for topic in topics]})
