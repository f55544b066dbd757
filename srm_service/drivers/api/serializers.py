"""Request and response bodies of orders to drivers (docs/contracts/rest.md)."""

from typing import Any

from rest_framework import serializers

from replication.domain.settings.registry.drivers import REBALANCE_DELAY
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.requests import END_IS_PAST, StrictSerializer
from srm_service.core.clock import now_ms
from srm_service.drivers.contracts import DrainDto, RestartDto

DEFAULT_GRACE_MS = 60_000
_LONGEST_GRACE_MS = 3_600_000
_LATEST_MS = 4_102_444_800_000  # the year 2100


def _reason() -> serializers.CharField:
    return serializers.CharField(
        required=False, allow_blank=True, default="", max_length=500, help_text="shown with the driver and in the trail"
    )


class DrainOrderSerializer(StrictSerializer):
    """A drain to order. A second one replaces reason and end of the first."""

    reason = _reason()
    expires_ms = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        max_value=_LATEST_MS,
        help_text="when the drain ends by itself; null: when it is removed",
    )

    def validate_expires_ms(self, value: int | None) -> int | None:
        if value is not None and value <= now_ms():
            raise serializers.ValidationError(END_IS_PAST)
        return value


class UndrainOrderSerializer(StrictSerializer):
    """The reason for the end of a drain."""

    reason = _reason()


class RestartOrderSerializer(StrictSerializer):
    """A restart to order."""

    reason = _reason()
    grace_ms = serializers.IntegerField(
        required=False,
        default=DEFAULT_GRACE_MS,
        min_value=1_000,
        max_value=_LONGEST_GRACE_MS,
        help_text=f"how long the tasks of the driver wait for its return, at most {REBALANCE_DELAY.key} of each flow",
    )


class DrainSerializer(DataclassSerializer):
    """A drain in force."""

    shape = DrainDto


class DrainingProcessSerializer(serializers.Serializer[Any]):
    """A process of the driver, as it reports."""

    id = serializers.CharField()
    role = serializers.CharField()
    boot = serializers.CharField(allow_null=True)
    drain = serializers.BooleanField(help_text="true when the process has applied the drain")
    tasks = serializers.IntegerField()


class DrainStateSerializer(serializers.Serializer[Any]):
    """The drain of a driver, and what its processes still do."""

    driver = serializers.CharField()
    drain = DrainSerializer(allow_null=True)
    processes = DrainingProcessSerializer(many=True)
    tasks = serializers.IntegerField(help_text="tasks that the driver still runs")
    drained = serializers.BooleanField(help_text="true when each process has applied the drain and runs no task")


class DrainChangeSerializer(DrainStateSerializer):
    """The drain after a change."""

    changed = serializers.BooleanField(help_text="false when the drain was like this before")


class RestartSerializer(DataclassSerializer):
    """An ordered restart."""

    shape = RestartDto


class RestartChangeSerializer(serializers.Serializer[Any]):
    """A restart that was ordered, and the processes that will restart."""

    driver = serializers.CharField()
    restart = RestartSerializer()
    processes = DrainingProcessSerializer(many=True)
