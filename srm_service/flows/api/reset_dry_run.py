"""The dry run of a reset: its partitions, and the records and bytes that it would copy again or skip at most."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.db import DatabaseError
from rest_framework import serializers

from replication.domain.control.reset_reach import (
    Amount,
    KnownPartition,
    ResetReach,
    is_beyond_end,
    reset_reach,
    reset_total,
)
from replication.domain.identifiers import FlowId
from srm_service.core.clock import now_ms
from srm_service.flows.api.dry_runs import OrderDryRunSerializer, delays, dry_run_answer, topic_touches
from srm_service.flows.reset_position import parse_position
from srm_service.flows.selectors import flow_find
from srm_service.monitoring.flows.live_state import LiveSnapshot
from srm_service.monitoring.flows.partitions import partitions_now


class ResetAmountSerializer(serializers.Serializer[Any]):
    """Records at most, and their bytes by the recent size of a record."""

    records = serializers.IntegerField(allow_null=True, help_text="null: unknown")
    bytes = serializers.IntegerField(allow_null=True, help_text="estimate; null: unknown, also without recent traffic")


class PartitionReachSerializer(serializers.Serializer[Any]):
    """The most that the reset of one partition would cover."""

    partition = serializers.IntegerField()
    copied_to = serializers.IntegerField(allow_null=True, help_text="next source offset to copy; null: unknown")
    again = ResetAmountSerializer(help_text="copied a second time")
    skipped = ResetAmountSerializer(help_text="not copied; a gap record names them")


class ResetDryRunSerializer(OrderDryRunSerializer):
    """The answer to a dry run of a reset. Both amounts are sums over `partitions`."""

    again = ResetAmountSerializer(help_text="copied a second time")
    skipped = ResetAmountSerializer(help_text="not copied; gap records name them")
    partitions = PartitionReachSerializer(many=True)


def reset_dry_run(
    flow: FlowId, topic: str, partitions: Iterable[int], to: Any, live: LiveSnapshot, *, partition: int | None
) -> dict[str, Any]:
    """Return the fields of `ResetDryRunSerializer`; `partition` as ordered, None for the whole topic."""
    known, problem = _known(flow, topic, live)
    wanted = parse_position(to)
    reaches = {number: reset_reach(wanted, known.get(number, KnownPartition())) for number in partitions}
    total = reset_total(reaches.values())
    beyond = sum(is_beyond_end(wanted, known.get(number, KnownPartition())) for number in reaches)
    text = [f"{len(reaches)} partition(s) of {topic} in {flow} would continue elsewhere", *_amounts(total), *problem]
    if beyond:
        text.append(f"{beyond} partition(s) end before the offset, and would continue at their end")
    text += delays(flow_find(flow.source, flow.target), live)
    return {
        **dry_run_answer(topic_touches(flow, topic, partition, live), text),
        **asdict(total),
        "partitions": [
            {"partition": number, "copied_to": known.get(number, KnownPartition()).copied_to, **asdict(reach)}
            for number, reach in reaches.items()
        ],
    }


def _known(flow: FlowId, topic: str, live: LiveSnapshot) -> tuple[dict[int, KnownPartition], list[str]]:
    """Return the newest reports by partition, and why there are none."""
    try:
        reports = partitions_now(flow, topic, live, now_ms())
    except DatabaseError:
        return {}, ["the metrics store does not answer: positions are unknown"]
    return {
        report.partition: KnownPartition(
            copied_to=report.copied_to,
            source_end=report.source_end,
            records_per_second=report.records_per_second,
            bytes_per_second=report.bytes_per_second,
        )
        for report in reports
    }, []


def _amounts(total: ResetReach) -> list[str]:
    return [_amount(total.again, "copied again"), _amount(total.skipped, "skipped")]


def _amount(amount: Amount, effect: str) -> str:
    if amount.records is None:
        return f"the number of records that would be {effect} is unknown"
    if amount.records == 0:
        return f"no record would be {effect}"
    size = "" if amount.bytes is None else f", about {amount.bytes:,} bytes,"
    return f"at most {amount.records:,} record(s){size} would be {effect}"
