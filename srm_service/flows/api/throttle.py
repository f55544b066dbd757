"""REST resource of a flow's throttle."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.control.throttle import MOST_BYTES_PER_SECOND
from replication.domain.settings.registry.flow import THROTTLE_RATE, THROTTLE_SCHEDULE
from srm_service.core.auth.roles import UserRole
from srm_service.flows.orders import flow_throttle_set
from srm_service.flows.selectors import flow_find, flow_throttle
from srm_service.flows.services import FlowNotFoundError

_TAGS = ["replications"]


class ThrottleOrderSerializer(serializers.Serializer[Any]):
    """The whole flow's limit; its tasks share it equally."""

    bytes_per_second = serializers.IntegerField(min_value=1, max_value=MOST_BYTES_PER_SECOND)


class ThrottleSerializer(serializers.Serializer[Any]):
    """The throttle; null: none, so that only the settings `srm.throttle.rate` and `.schedule` apply."""

    bytes_per_second = serializers.IntegerField(allow_null=True)
    changed = serializers.BooleanField(help_text="false when the throttle already had this value")


class ThrottleView(APIView):
    required_role: UserRole = "operator"

    @extend_schema(
        operation_id="throttle_detail", summary="A flow's throttle", responses=ThrottleSerializer, tags=_TAGS
    )
    def get(self, request: Request, source: str, target: str) -> Response:
        if flow_find(source, target) is None:
            raise NotFound(f"there is no replication {source}->{target}; GET /api/v2/replications lists all")
        return Response({"bytes_per_second": flow_throttle(source, target), "changed": False})

    @extend_schema(
        operation_id="throttle_set",
        summary="Limit what a flow reads",
        request=ThrottleOrderSerializer,
        responses=ThrottleSerializer,
        tags=_TAGS,
    )
    def put(self, request: Request, source: str, target: str) -> Response:
        wanted = ThrottleOrderSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        return _set(request, source, target, wanted.validated_data["bytes_per_second"])

    @extend_schema(
        operation_id="throttle_remove",
        summary="Take a flow's throttle away",
        description=f"A limit in the flow's settings ({THROTTLE_RATE}, {THROTTLE_SCHEDULE}) still applies.",
        responses=ThrottleSerializer,
        tags=_TAGS,
    )
    def delete(self, request: Request, source: str, target: str) -> Response:
        return _set(request, source, target, None)


def _set(request: Request, source: str, target: str, bytes_per_second: int | None) -> Response:
    by = request.user.get_username()
    try:
        changed = flow_throttle_set(source=source, target=target, bytes_per_second=bytes_per_second, by=by)
    except FlowNotFoundError as error:
        raise NotFound(str(error)) from error
    return Response({"bytes_per_second": bytes_per_second, "changed": changed})
