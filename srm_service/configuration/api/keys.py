"""REST resources of known keys, and of the values in force for a flow."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.config.tree import EffectiveValue, KeyRow, effective_values, key_table
from replication.domain.identifiers import FlowId
from srm_service.configuration.api.answers import effective_answer, key_answer
from srm_service.configuration.api.problems import etag
from srm_service.configuration.api.queries import EffectiveQuery, KeyQuery, checked
from srm_service.configuration.api.serializers import EffectiveListSerializer, KeyListSerializer
from srm_service.configuration.selectors import current_dialect, current_tree, current_version
from srm_service.core.api.pagination import page_of
from srm_service.core.clock import now_ms
from srm_service.flows.api.known_flow import known_flow


class KeyListView(APIView):
    @extend_schema(
        operation_id="settings_list",
        summary="All known keys: type, default, levels, effect here",
        parameters=[KeyQuery],
        responses=KeyListSerializer,
        tags=["configuration"],
    )
    def get(self, request: Request) -> Response:
        query = checked(KeyQuery, request)
        rows = key_table(query.get("dialect") or current_dialect())
        found = [
            row
            for row in rows
            if query["owner"] in ("", row.owner)
            and query["effect"] in ("", row.effect)
            and query["q"].lower() in row.key.lower()
        ]
        page = page_of(sorted(found, key=_row_key), key=_row_key, cursor=query["cursor"], limit=query["limit"])
        items = [key_answer(row) for row in page.items]
        return Response({"items": items, "next_cursor": page.next_cursor, "as_of_ms": now_ms(), "partial": []})


class EffectiveView(APIView):
    @extend_schema(
        operation_id="replications_effective",
        summary="The value in force of every key of a flow, with the values that lost",
        parameters=[EffectiveQuery],
        responses=EffectiveListSerializer,
        tags=["replications"],
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        query = checked(EffectiveQuery, request)
        known_flow(source, target)
        version, tree = current_version(), current_tree()
        found = [
            value
            for value in effective_values(tree, FlowId(source, target), only_set=query["only_set"])
            if query["client"] in ("", value.client) and query["key"].lower() in value.name.lower()
        ]
        page = page_of(sorted(found, key=_value_key), key=_value_key, cursor=query["cursor"], limit=query["limit"])
        answer = {
            "items": [effective_answer(value) for value in page.items],
            "next_cursor": page.next_cursor,
            "as_of_ms": now_ms(),
            "partial": [],
            "version": version,
        }
        return Response(answer, headers=etag(version))


def _row_key(row: KeyRow) -> str:
    return f"{row.owner}\0{row.key}"


def _value_key(value: EffectiveValue) -> str:
    return f"{value.client}\0{value.name}"
