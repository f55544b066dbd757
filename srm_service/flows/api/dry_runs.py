"""Dry runs of orders: what an order would cover, from the plans and reports that the service has. Nothing is stored."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from rest_framework import serializers

from replication.domain.identifiers import FlowId
from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.requests import StrictSerializer
from srm_service.flows.contracts import FlowDto, OrderScope
from srm_service.monitoring.flows.live_state import LiveSnapshot

_MOST_NAMES = 100
_HALTED = {
    "pause": "paused: the order takes effect when it resumes",
    "stop": "stopped: the order takes effect when it starts",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Touches:
    """The numbers of flows, topics, partitions and slots that an order covers; all are 0 if it changes nothing."""

    flows: int
    topics: Annotated[int | None, "null: unknown"]
    partitions: Annotated[int | None, "null: unknown"]
    slots: Annotated[int | None, "null: unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchedNames:
    """The topics and source tasks that an order covers, at most a hundred of each."""

    topics: tuple[str, ...] = ()
    tasks: Annotated[tuple[str, ...], "such as us-east/source/0"] = ()


NOTHING = Touches(flows=0, topics=0, partitions=0, slots=0)


class TouchesSerializer(DataclassSerializer):
    """The numbers of flows, topics, partitions and slots that an order covers; all are 0 if it changes nothing."""

    shape = Touches


class TouchedNamesSerializer(DataclassSerializer):
    """The topics and source tasks that an order covers, at most a hundred of each."""

    shape = TouchedNames


class DryRunQuery(StrictSerializer):
    """The query of a DELETE that has a dry run."""

    dry_run = serializers.BooleanField(required=False, default=False, help_text="only report what would change")


class ReasonQuery(StrictSerializer):
    """The query of a DELETE that has a reason."""

    reason = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=500, help_text="kept in the audit trail"
    )


class OrderDryRunSerializer(serializers.Serializer[Any]):
    """The answer to a dry run."""

    dry_run = serializers.BooleanField()
    touches = TouchesSerializer()
    text = serializers.ListField(child=serializers.CharField(), help_text="the effect, then what delays or limits it")


class MaybeDryRunSerializer(serializers.Serializer[Any]):
    """The fields that a dry run adds to the answer of the order."""

    dry_run = serializers.BooleanField(required=False, help_text="true in a dry run, otherwise absent")
    touches = TouchesSerializer(required=False, help_text="only in a dry run")
    text = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="only in a dry run: the effect, then what delays it"
    )


def dry_run_answer(touches: Touches, text: Iterable[str]) -> dict[str, Any]:
    """Return the fields of `OrderDryRunSerializer`."""
    return {"dry_run": True, "touches": asdict(touches), "text": list(text)}


def flow_touches(flow: FlowId, live: LiveSnapshot) -> Touches:
    """Return what an order for the whole flow covers, by its plan."""
    plan = live.plans.get(flow)
    if plan is None:
        return Touches(flows=1, topics=None, partitions=None, slots=None)
    topics, slots = _topics(plan), _list(plan, "slots")
    partitions = None if topics is None else _sum(_partitions(topic) for topic in topics)
    return Touches(
        flows=1,
        topics=None if topics is None else len(topics),
        partitions=partitions,
        slots=None if slots is None else len(slots),
    )


def topic_touches(flow: FlowId, topic: str, partition: int | None, live: LiveSnapshot) -> Touches:
    """Return what an order for a topic, or one partition of it, covers; only the flow if the plan does not have it."""
    plan = live.plans.get(flow)
    topics = None if plan is None else _topics(plan)
    if plan is None or topics is None:
        return Touches(flows=1, topics=1, partitions=None if partition is None else 1, slots=None)
    index = next((at for at, planned in enumerate(topics) if planned.get("upstream") == topic), None)
    count = 0 if index is None else _partitions(topics[index])
    if index is None or (partition is not None and count is not None and partition >= count):
        return Touches(flows=1, topics=0, partitions=0, slots=0)
    slots = _list(plan, "slots")
    return Touches(
        flows=1,
        topics=1,
        partitions=count if partition is None else 1,
        slots=None if slots is None else sum(_has(slot, index, partition) for slot in slots),
    )


def task_touches(flow: FlowId, task: int, live: LiveSnapshot) -> Touches:
    """Return what an order for one source task covers, by its plan."""
    held = _slots(flow, live)
    if held is None:
        return Touches(flows=1, topics=None, partitions=None, slots=1)
    if task >= len(held):
        return Touches(flows=1, topics=0, partitions=0, slots=0)
    return Touches(flows=1, topics=len({index for index, _ in held[task]}), partitions=len(held[task]), slots=1)


def touched_names(flow: FlowId, scope: OrderScope, live: LiveSnapshot) -> TouchedNames:
    """Return the names of what an order covers, by the flow's plan; none if it is unknown."""
    plan, held = live.plans.get(flow), _slots(flow, live)
    topics = None if plan is None else _topics(plan)
    if topics is None or held is None:
        return TouchedNames()
    names = [str(topic.get("upstream")) for topic in topics]
    covered = [
        (slot, names[index])
        for slot, partitions in enumerate(held)
        for index, partition in partitions
        if scope.task in (None, slot) and scope.topic in ("", names[index]) and scope.partition in (None, partition)
    ]
    return TouchedNames(
        topics=tuple(sorted({name for _, name in covered}))[:_MOST_NAMES],
        tasks=tuple(f"{flow.source}/source/{slot}" for slot in sorted({slot for slot, _ in covered})[:_MOST_NAMES]),
    )


def sum_touches(parts: Collection[Touches]) -> Touches:
    """Return the sum; a number that is unknown of one part is unknown of all."""
    return Touches(
        flows=sum(part.flows for part in parts),
        topics=_sum(part.topics for part in parts),
        partitions=_sum(part.partitions for part in parts),
        slots=_sum(part.slots for part in parts),
    )


def delays(flow: FlowDto | None, live: LiveSnapshot, *, is_resumed: bool = False) -> list[str]:
    """Return what keeps an order from taking effect now, and why numbers are unknown. `is_resumed`: it ends a pause."""
    if flow is None:
        return []
    name = FlowId(flow.source, flow.target)
    found = []
    if live.problem:
        found.append(f"{live.problem}: the plan of {flow.key} is unknown")
    elif name not in live.plans:
        found.append(f"no driver for {flow.target} has planned {flow.key}: its plan is unknown")
    if not flow.enabled:
        found.append(f"{flow.key} is disabled: the order takes effect when it is enabled")
    elif flow.state in _HALTED and not is_resumed:
        found.append(f"{flow.key} is {_HALTED[flow.state]}")
    elif not live.problem and not live.of(name, "source"):
        found.append(f"no task of {flow.key} reports: the order takes effect when one runs")
    return found


def _slots(flow: FlowId, live: LiveSnapshot) -> list[list[tuple[int, int]]] | None:
    """Return index of topic and partition of each slot of the plan."""
    plan = live.plans.get(flow)
    slots = None if plan is None else _list(plan, "slots")
    if slots is None:
        return None
    return [[(each[0], each[1]) for each in slot if isinstance(each, list) and len(each) == 2] for slot in slots]


def _topics(plan: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    return _list(plan, "topics")


def _list(plan: Mapping[str, Any], name: str) -> list[Any] | None:
    found = plan.get(name)
    return found if isinstance(found, list) else None


def _partitions(topic: Mapping[str, Any]) -> int | None:
    count = topic.get("partitions")
    return count if isinstance(count, int) else None


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = list(numbers)
    return None if None in known else sum(number for number in known if number is not None)


def _has(slot: Iterable[Any], index: int, partition: int | None) -> bool:
    """Return True if a slot of the plan holds the partition, or any partition of the topic."""
    return any(
        isinstance(each, list) and each[:1] == [index] and (partition is None or each[1:2] == [partition])
        for each in slot
    )
