"""REST resource of the search."""

from dataclasses import asdict
from typing import Any

from django.db import DatabaseError
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import PartialSerializer
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import StrictSerializer, Values
from srm_service.core.choices import choices_of
from srm_service.core.contracts import Partial
from srm_service.fleet.search.hits import HIT_KINDS, Found, Hit, HitKind, in_order, words_of
from srm_service.fleet.search.kinds import SEARCHERS
from srm_service.flows.selectors import flow_list
from srm_service.monitoring.flows.live_state import live_snapshot

HIT_KIND_CHOICES = choices_of(HitKind)
_MOST = 50


class SearchQuery(StrictSerializer):
    """The text to find, and what to find."""

    q = serializers.CharField(max_length=300, help_text="words that the names contain, without regard to case")
    kind = serializers.ChoiceField(required=False, choices=HIT_KIND_CHOICES, help_text="only hits of this kind")
    limit = serializers.IntegerField(
        required=False, default=8, min_value=1, max_value=_MOST, help_text="most hits of each kind"
    )

    def validate_q(self, text: str) -> str:
        if not words_of(text):
            raise serializers.ValidationError("the search needs a word: type one")
        return text


class HitSerializer(DataclassSerializer):
    """Something that a search found."""

    shape = Hit


class SearchSerializer(serializers.Serializer[Any]):
    """The best hits of each kind, the best of all first."""

    items = HitSerializer(many=True)
    cut = serializers.ListField(
        child=serializers.ChoiceField(choices=HIT_KIND_CHOICES), help_text="kinds of which there are more hits"
    )
    as_of_ms = serializers.IntegerField()
    partial = PartialSerializer(many=True)  # type: ignore[assignment]  # a field that hides one of the base class


class SearchView(APIView):
    @operation(
        "search",
        "Search flows, topics by both names, consumer groups, clusters and property keys",
        query=SearchQuery,
        responses=SearchSerializer,
        description="Every word must be in a name. Values of properties are not searched.",
        tags=["search"],
    )
    def get(self, request: Request, *, query: Values) -> Response:
        live = live_snapshot()
        known = [FlowId(flow.source, flow.target) for flow in flow_list()]
        found: dict[HitKind, Found] = {}
        partial: list[Partial] = list(live.partial)
        for kind in HIT_KINDS if "kind" not in query else (query["kind"],):
            try:
                found[kind] = SEARCHERS[kind](query["q"], query["limit"], known, live)
            except DatabaseError:
                partial.append(Partial(peer="metrics", error=f"the metrics store does not answer: no {kind} is found"))
        return Response(
            {
                "items": [asdict(hit) for hit in in_order(list(found.values()))],
                "cut": [kind for kind, each in found.items() if each.is_cut],
                "as_of_ms": live.read_ms,
                "partial": [asdict(part) for part in partial],
            }
        )
