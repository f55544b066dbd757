"""REST resource of the marks of charts."""

from dataclasses import asdict, fields
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.configuration.api.answers import version_answer
from srm_service.configuration.api.serializers import VersionSerializer
from srm_service.core.api.description_fields import description_filter
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
from srm_service.fleet.api.gaps import GapSerializer
from srm_service.fleet.marks import marks_of
from srm_service.flows.selectors import flows_described
from srm_service.monitoring.api.events import EventSerializer
from srm_service.monitoring.api.reported_rows import ReportedQuery
from srm_service.monitoring.api.views import store_answers
from srm_service.monitoring.reported_rows import ReportedFilter

_MOST_FLOWS, _MOST = 20, 1_000


class MarksQuery(ReportedQuery):
    """The wanted flows and the range; labels, owner and criticality are those of flows."""

    flow = serializers.ListField(
        child=serializers.CharField(max_length=511),
        required=False,
        default=list,
        max_length=_MOST_FLOWS,
        help_text="`source->target`; may be given several times; without it all flows",
    )
    limit = serializers.IntegerField(
        required=False, default=200, min_value=1, max_value=_MOST, help_text="most events, gaps and versions each"
    )

    def validate_flow(self, texts: list[str]) -> list[FlowId]:
        flows = [FlowId(*text.split("->", 1)) for text in texts if "->" in text]
        if len(flows) < len(texts) or not all(flow.source and flow.target for flow in flows):
            raise serializers.ValidationError("a flow is written as source->target, such as us-east->eu-central")
        return flows


class MarksSerializer(serializers.Serializer[Any]):
    """Events, gaps and versions of the configuration in a range, the newest first."""

    events = EventSerializer(many=True)
    gaps = GapSerializer(many=True)
    versions = VersionSerializer(many=True, help_text="of the configuration; each concerns all flows")
    is_cut = serializers.BooleanField(help_text="there are older events, gaps or versions in the range")


class MarksView(APIView):
    @operation(
        "marks",
        "Events, gaps and versions of the configuration in a range, for the marks of charts",
        query=MarksQuery,
        responses=MarksSerializer,
        description="For the marks of a chart, in one answer. The lists of events, gaps and versions have the rest.",
        tags=["events"],
    )
    def get(self, request: Request, *, query: Values) -> Response:
        given = {each.name: query[each.name] for each in fields(ReportedFilter) if each.name in query}
        with store_answers():
            marks = marks_of(ReportedFilter(**given, flows=_flows(query)), most=query["limit"])
        return Response(
            {
                "events": [asdict(event) for event in marks.events],
                "gaps": [asdict(gap) for gap in marks.gaps],
                "versions": [version_answer(version) for version in marks.versions],
                "is_cut": marks.is_cut,
            }
        )


def _flows(query: Values) -> frozenset[FlowId] | None:
    """Return the flows that are named and described so; None: all."""
    described = flows_described(description_filter(query))
    if not query["flow"]:
        return described
    named = frozenset(query["flow"])
    return named if described is None else named & described
