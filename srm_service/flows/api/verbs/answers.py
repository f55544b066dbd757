"""The effect of an order by verb and scope in words, and the answer of its dry run."""

from dataclasses import asdict
from typing import Any

from rest_framework.exceptions import NotFound

from replication.domain.identifiers import FlowId
from srm_service.flows.api.dry_runs import (
    NOTHING,
    TouchedNames,
    delays,
    flow_touches,
    task_touches,
    topic_touches,
    touched_names,
)
from srm_service.flows.contracts import OrderScope
from srm_service.flows.control.verbs import VerbOrder
from srm_service.flows.selectors import flow_find
from srm_service.flows.topic_orders import NotCopiedError, check_copied
from srm_service.monitoring.flows.live_state import LiveSnapshot, live_snapshot

_OF_FLOW = {
    "pause": "stops copying and keeps its position",
    "resume": "continues where it stopped",
    "stop": "ends all of its tasks, including its heartbeat task, and keeps its positions",
    "start": "starts at its positions",
    "restart": "restarts its tasks at their committed positions",
}
_OF_PART = {
    "pause": "is not read, and stays with its task",
    "resume": "is read again",
    "stop": "leaves its task and keeps its position",
    "start": "returns to a task, at its position",
    "restart": "begins again at its committed position",
}
_ENDING = ("resume", "start")


def check_scope(flow: FlowId, scope: OrderScope, live: LiveSnapshot) -> None:
    """Raise NotFound if the flow's plan has no such topic, partition or task; passes without a plan."""
    if scope.topic:
        try:
            check_copied(flow, scope.topic, scope.partition, live)
        except NotCopiedError as error:
            raise NotFound(str(error)) from error
    plan = live.plans.get(flow)
    slots = None if plan is None else plan.get("slots")
    if scope.task is not None and isinstance(slots, list) and scope.task >= len(slots):
        known = f"it has 0 to {len(slots) - 1}" if slots else "it has none"
        raise NotFound(f"{flow} has no source task {scope.task}: {known}")


def verb_text(order: VerbOrder, *, changed: bool) -> str:
    """Return the effect of an order."""
    flow = f"{order.source}->{order.target}"
    place = f"{order.scope.text} of {flow}" if order.scope.text else flow
    if not changed:
        return f"{place} already is in this state; nothing changes"
    if order.verb == "throttle":
        rate = order.bytes_per_second
        effect = "has no throttle" if rate is None else f"reads at most {rate:,} bytes per second"
    else:
        effect = (_OF_PART if order.scope.text else _OF_FLOW)[order.verb]
    end = "" if order.until is None else f", until {order.until.isoformat(timespec='seconds')}"
    text = f"{place} {effect}{end}"
    return f"With this order, {text}" if order.dry_run else text


def verb_dry_run(order: VerbOrder, text: str, *, changes: bool) -> dict[str, Any]:
    """Return the fields that a dry run adds."""
    if not changes:
        return {"touches": asdict(NOTHING), "names": asdict(TouchedNames())}
    flow, scope, live = FlowId(order.source, order.target), order.scope, live_snapshot()
    is_resumed = not scope.text and order.verb in (*_ENDING, "pause", "stop")
    later = delays(flow_find(flow.source, flow.target), live, is_resumed=is_resumed)
    if scope.task is not None:
        touches = task_touches(flow, scope.task, live)
    elif scope.topic:
        touches = topic_touches(flow, scope.topic, scope.partition, live)
    else:
        touches = flow_touches(flow, live)
    return {
        "touches": asdict(touches),
        "names": asdict(touched_names(flow, scope, live)),
        "text": "; ".join([text, *later]),
    }
