"""REST resources of known keys, and of the values in force for a flow."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.config.tree import EffectiveValue, KeyRow, effective_values, key_table
from replication.domain.identifiers import FlowId
from srm_service.configuration.api.answers import effective_answer, key_answer
from srm_service.configuration.api.queries import EffectiveQuery, KeyQuery
from srm_service.configuration.api.serializers import EffectiveListSerializer, KeyListSerializer
from srm_service.configuration.selectors import current_dialect, current_tree, current_version
from srm_service.core.api.etags import etag_of_version, tagged
from srm_service.core.api.lists import list_response
from srm_service.core.api.operation import operation
from srm_service.core.api.pagination import page_of
from srm_service.core.api.requests import Values
from srm_service.flows.api.known_flow import known_flow


class KeyListView(APIView):
    @operation(
        "settings_list",
        "All known keys: type, default, levels, effect here",
        query=KeyQuery,
        responses=KeyListSerializer,
        tags=["configuration"],
    )
    def get(self, request: Request, *, query: Values) -> Response:
        rows = key_table(query.get("dialect") or current_dialect())
        found = [
            row
            for row in rows
            if query["owner"] in ("", row.owner)
            and query["effect"] in ("", row.effect)
            and query["q"].lower() in row.key.lower()
        ]
        page = page_of(found, query, key=_row_key, orderings=KeyQuery.orderings, default="owner")
        return list_response(page, key_answer)


class EffectiveView(APIView):
    @operation(
        "replications_effective",
        "The value in force of every key of a flow, with the values that lost",
        query=EffectiveQuery,
        responses=EffectiveListSerializer,
        tags=["replications"],
    )
    def get(self, request: Request, source: str, target: str, *, query: Values) -> Response:
        known_flow(source, target)
        version, tree = current_version(), current_tree()
        found = [
            value
            for value in effective_values(tree, FlowId(source, target), only_set=query["only_set"])
            if query["client"] in ("", value.client) and query["key"].lower() in value.name.lower()
        ]
        page = page_of(found, query, key=_value_key, orderings=EffectiveQuery.orderings, default="client")
        return tagged(list_response(page, effective_answer, more={"version": version}), etag_of_version(version))


def _row_key(row: KeyRow) -> str:
    return f"{row.owner}\0{row.key}"


def _value_key(value: EffectiveValue) -> str:
    return f"{value.client}\0{value.name}"
