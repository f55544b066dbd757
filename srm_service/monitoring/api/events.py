"""REST resources of events: a list, and a file."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import ClassVar

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.health.state_events import EVENT_STATES, EventScope
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.description_fields import description_filter
from srm_service.core.api.files.row_files import file_answer, file_kind_field
from srm_service.core.api.lists import ListSerializer, list_response
from srm_service.core.api.negotiation import AnyAccepted
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import PageQuery
from srm_service.core.api.requests import Values
from srm_service.core.api.row_pages import rows_page
from srm_service.core.choices import choices_of
from srm_service.flows.selectors import flows_described
from srm_service.monitoring.api.reported_rows import ReportedQuery, text_field
from srm_service.monitoring.api.views import store_answers
from srm_service.monitoring.events import EventDto, EventFilter, event_dto, event_rows, events_all

EVENT_SCOPE_CHOICES = choices_of(EventScope)
EVENT_STATE_CHOICES = [(state, state) for state in EVENT_STATES]
_TAGS = ["events"]
_MOST_EXPORTED = 100_000


class EventFilterQuery(ReportedQuery):
    """The wanted events; labels, owner and criticality are those of flows."""

    scope = serializers.ChoiceField(required=False, default="", choices=EVENT_SCOPE_CHOICES)
    state = serializers.ChoiceField(
        required=False, default="", choices=EVENT_STATE_CHOICES, help_text="only changes into this state"
    )
    cause = text_field("code of the cause, such as record_refused", 100)
    driver = text_field("the driver that reported it")


class EventQuery(EventFilterQuery, PageQuery):
    """A page of the wanted events; without `ordering`, the newest are first."""

    orderings: ClassVar[Mapping[str, str]] = {
        name: name for name in ("time_ms", "source", "target", "topic", "scope", "to_state", "cause", "driver")
    }


class EventExportQuery(EventFilterQuery):
    """The wanted events and the format of the file."""

    file = file_kind_field()


class EventSerializer(DataclassSerializer):
    """A change of state of a slot or a partition, or a rejected record."""

    shape = EventDto


class EventListSerializer(ListSerializer):
    """Events, the newest first."""

    items = EventSerializer(many=True)


class EventListView(APIView):
    @operation(
        "events_list",
        "Events of the drivers",
        query=EventQuery,
        responses=EventListSerializer,
        description="Slots that run, stop or fail; partitions that enter or leave a state that people want to know of; "
        "rejected records. They are kept for 30 days.",
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> Response:
        with store_answers():
            page = rows_page(event_rows(_filter(query)), query, orderings=EventQuery.orderings, default="-time_ms")
        return list_response(page, lambda event: asdict(event_dto(event)))


class EventExportView(APIView):
    content_negotiation_class = AnyAccepted

    @operation(
        "events_export",
        "Events of the drivers as a file",
        query=EventExportQuery,
        description=f"The newest {_MOST_EXPORTED:,} of the wanted events.",
        responses={(200, "text/csv"): OpenApiTypes.STR, (200, "application/json"): EventSerializer(many=True)},
        tags=_TAGS,
    )
    def get(self, request: Request, *, query: Values) -> HttpResponse:
        with store_answers():
            rows = events_all(_filter(query), most=_MOST_EXPORTED)
            return file_answer(rows, EventDto, query["file"], name="events", time="time_ms")


def _filter(query: Values) -> EventFilter:
    given = {each.name: query[each.name] for each in fields(EventFilter) if each.name in query}
    return EventFilter(**given, flows=flows_described(description_filter(query)))
