"""REST resource of one record and its copy."""

from typing import Literal

from rest_framework import serializers
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from replication.domain.identifiers import FlowId
from replication.domain.questions import records
from replication.domain.questions.groups import Direction, PlaceToTranslate
from replication.domain.questions.question import RECORD_WAIT_MS
from srm_service.core.api.derived_fields import ShapeSerializers
from srm_service.core.api.operation import operation
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import includes, role_of
from srm_service.core.choices import choices_of
from srm_service.flows.api.known_flow import known_flow
from srm_service.monitoring.flows.live_state import live_snapshot
from srm_service.monitoring.flows.topics import planned_topics
from srm_service.planning.api.answered import answered
from srm_service.planning.api.serializers import WaitSerializer, wait_field
from srm_service.planning.records import ValuesHiddenError, record_pair

RecordCluster = Literal["source", "target"]
RECORD_CLUSTER_CHOICES = choices_of(RecordCluster)
_DIRECTIONS: dict[RecordCluster, Direction] = {"source": "to_target", "target": "to_source"}
_MOST_PARTITION, _MOST_OFFSET = 2**31 - 1, 2**63 - 1
_SERIALIZERS = ShapeSerializers(
    __name__, records.ShownBytes, records.ShownHeader, records.ShownRecord, records.RecordSide
)
RecordPairSerializer = _SERIALIZERS.of(records.RecordPair)


class RecordQuery(WaitSerializer):
    """The cluster of the offset, and if values are read."""

    wait_ms = wait_field(RECORD_WAIT_MS)
    on = serializers.ChoiceField(
        required=False, default="source", choices=RECORD_CLUSTER_CHOICES, help_text="the cluster that the offset is of"
    )
    value = serializers.BooleanField(
        required=False,
        default=False,
        help_text="also the values; needs the admin role, and leaves an entry in the trail",
    )


class RecordView(APIView):
    @operation(
        "replications_record",
        "A record and its copy side by side",
        query=RecordQuery,
        description="Read from both clusters now, by the target's control worker. `topic` is the name on the source, "
        "or on the target. Values are shown if the service has `SRM_SHOW_RECORD_VALUES=true`.",
        responses=RecordPairSerializer,
        tags=["replications"],
        problems={
            503: "no control worker of target eu-central answers: start a driver that serves eu-central, and repeat",
        },
    )
    def get(
        self, request: Request, source: str, target: str, topic: str, partition: int, offset: int, *, query: Values
    ) -> Response:
        flow = known_flow(source, target)
        if partition > _MOST_PARTITION or offset > _MOST_OFFSET:
            raise ValidationError({"offset": "the offset is larger than Kafka's numbers: choose a smaller one"})
        if query["value"] and not includes(role_of(request.user), "admin"):
            raise PermissionDenied("values of records need the admin role; without `value` the rest is shown")
        _check_partition(flow, topic, partition)
        place = PlaceToTranslate(topic=topic, partition=partition, offset=offset, direction=_DIRECTIONS[query["on"]])
        by = request.user.get_username()
        try:
            return answered(
                lambda: record_pair(flow, place, by=by, with_value=query["value"], wait_ms=query["wait_ms"])
            )
        except ValuesHiddenError as error:
            raise PermissionDenied(str(error)) from error


def _check_partition(flow: FlowId, topic: str, partition: int) -> None:
    """Raise NotFound if the newest plan has no such partition; without a plan the control worker decides."""
    planned = planned_topics(flow, live_snapshot())
    counts = [int(each.get("partitions", 0)) for each in planned if topic in (each.get("upstream"), each.get("remote"))]
    if planned and not any(partition < count for count in counts):
        raise NotFound(f"{flow} does not copy partition {partition} of {topic}; GET .../topics lists its topics")
