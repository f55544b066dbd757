"""How many bytes per second a flow may read."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from srm_service.core.roles import Role
from srm_service.flows.orders import flow_throttle_set
from srm_service.flows.selectors import flow_find, flow_throttle
from srm_service.flows.services import FlowNotFoundError

_TAGS = ["replications"]
_MOST = 10**15


class ThrottleWishSerializer(serializers.Serializer[Any]):
    """The whole flow's limit; its tasks share it equally."""

    bytes_per_second = serializers.IntegerField(min_value=1, max_value=_MOST)


class ThrottleSerializer(serializers.Serializer[Any]):
    """The limit somebody has set; null: none, the flow's settings `srm.throttle.rate` and `.schedule` count alone."""

    bytes_per_second = serializers.IntegerField(allow_null=True)
    changed = serializers.BooleanField(help_text="false when it was so before")


class ThrottleView(APIView):
    required_role: Role = "operator"

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
        request=ThrottleWishSerializer,
        responses=ThrottleSerializer,
        tags=_TAGS,
    )
    def put(self, request: Request, source: str, target: str) -> Response:
        wanted = ThrottleWishSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        return _set(request, source, target, wanted.validated_data["bytes_per_second"])

    @extend_schema(
        operation_id="throttle_remove",
        summary="Take a flow's throttle away",
        description="A limit in the flow's settings (srm.throttle.rate, srm.throttle.schedule) goes on counting.",
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
