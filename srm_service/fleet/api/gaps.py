"""REST resource of gaps."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.offsets.gap import GapCause
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.description_fields import description_filter
from srm_service.core.api.lists import ListSerializer, list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery
from srm_service.core.api.requests import Values
from srm_service.core.api.row_pages import rows_page
from srm_service.core.choices import choices_of
from srm_service.fleet.gaps import RECORDED_POLICIES, GapDto, GapFilter, gap_dto, gap_rows
from srm_service.flows.selectors import flows_described
from srm_service.monitoring.api.reported_rows import ReportedQuery
from srm_service.monitoring.api.views import store_answers

GAP_CAUSE_CHOICES = choices_of(GapCause)
RECORDED_POLICY_CHOICES = [(policy, policy) for policy in RECORDED_POLICIES]


class GapQuery(ReportedQuery, PageQuery):
    """A page of the wanted gaps, the newest first; labels, owner and criticality are those of flows."""

    orderings: ClassVar[Mapping[str, str]] = {
        **{
            name: name
            for name in ("detected_ms", "source", "target", "topic", "partition", "cause", "from_offset", "policy")
        },
        "records": "count",
    }

    cause = serializers.ChoiceField(required=False, default="", choices=GAP_CAUSE_CHOICES)
    policy = serializers.ChoiceField(required=False, default="", choices=RECORDED_POLICY_CHOICES)


class GapSerializer(DataclassSerializer):
    """Source records that a flow does not copy."""

    shape = GapDto


class GapListSerializer(ListSerializer):
    """Gaps, the newest first."""

    items = GapSerializer(many=True)


class GapListView(APIView):
    @operation(
        "gaps_list",
        "Source records that flows do not copy",
        query=GapQuery,
        responses=GapListSerializer,
        description="Each with its offsets, its cause, the policy of the flow, and the time when it was detected.",
        tags=["events"],
    )
    def get(self, request: Request, *, query: Values) -> Response:
        given = {each.name: query[each.name] for each in fields(GapFilter) if each.name in query}
        wanted = GapFilter(**given, flows=flows_described(description_filter(query)))
        with store_answers():
            page = rows_page(gap_rows(wanted), query, orderings=GapQuery.orderings, default="-detected_ms")
        return list_response(page, lambda gap: asdict(gap_dto(gap)))
