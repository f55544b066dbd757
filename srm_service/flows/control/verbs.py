"""One set of verbs for a flow, a topic, a partition and a task."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.db import transaction

from srm_service.flows.actions import RESTART, OrderDetails
from srm_service.flows.contracts import WHOLE_FLOW, OrderScope
from srm_service.flows.control.topic_rows import (
    HOLDS,
    STOPS,
    THROTTLES,
    OrderKind,
    TopicOrderRequest,
    topic_order_end,
    topic_order_give,
)
from srm_service.flows.orders import flow_throttle_set
from srm_service.flows.services import (
    FlowChangeError,
    OrderedChange,
    flow_locked,
    flow_pause,
    flow_resume,
    flow_save,
    flow_start,
    flow_stop,
)
from srm_service.trail.contracts import Actor

Verb = Literal["pause", "resume", "restart", "throttle", "stop", "start"]
_TOPIC_KINDS: Mapping[Verb, OrderKind[Any]] = {
    "pause": HOLDS,
    "resume": HOLDS,
    "stop": STOPS,
    "start": STOPS,
    "throttle": THROTTLES,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbOrder:
    """The verb, what it is for, its reason, its end and its author; `bytes_per_second` is that of a throttle."""

    source: str
    target: str
    verb: Verb
    by: Actor | str
    scope: OrderScope = WHOLE_FLOW
    reason: str = ""
    until: datetime | None = None
    bytes_per_second: int | None = None
    dry_run: bool = False
    publishes: bool = True  # False: the caller publishes the target


def order_give(order: VerbOrder) -> OrderedChange:
    """Give an order; a dry run only says whether it changes something. Raises FlowChangeError, FlowNotFoundError."""
    if order.verb == "restart":
        return _restart(order)
    if order.scope.task is not None:
        raise FlowChangeError("a task can only be restarted: name the flow, a topic or a partition")
    return _topic(order) if order.scope.topic else _flow(order)


def _flow(order: VerbOrder) -> OrderedChange:
    source, target, reason, by, dry_run = order.source, order.target, order.reason, order.by, order.dry_run
    if order.verb == "throttle":
        return flow_throttle_set(
            source=source,
            target=target,
            bytes_per_second=order.bytes_per_second,
            reason=reason,
            until=order.until,
            by=by,
            dry_run=dry_run,
        )
    if order.verb in ("pause", "stop"):
        halt = flow_pause if order.verb == "pause" else flow_stop
        return halt(
            source=source,
            target=target,
            reason=reason,
            by=by,
            until=order.until,
            dry_run=dry_run,
            publishes=order.publishes,
        )
    proceed = flow_resume if order.verb == "resume" else flow_start
    return proceed(source=source, target=target, reason=reason, by=by, dry_run=dry_run, publishes=order.publishes)


def _topic(order: VerbOrder) -> OrderedChange:
    kind = _TOPIC_KINDS[order.verb]
    is_end = order.verb in ("resume", "start") or (order.verb == "throttle" and order.bytes_per_second is None)
    wanted = TopicOrderRequest(
        source=order.source,
        target=order.target,
        scope=order.scope,
        by=order.by,
        reason=order.reason,
        until=order.until,
        values={} if is_end else {name: getattr(order, name) for name in kind.values},
    )
    give = topic_order_end if is_end else topic_order_give
    return give(kind, wanted, dry_run=order.dry_run)


def _restart(order: VerbOrder) -> OrderedChange:
    """Order a restart; a flow that is disabled or stopped has nothing to restart."""
    with transaction.atomic():
        flow = flow_locked(order.source, order.target)
        if not flow.enabled or flow.state == "stop":
            state, remedy = ("stopped", "start it") if flow.enabled else ("disabled", "enable it")
            raise FlowChangeError(f"{order.source}->{order.target} is {state}, so no task runs: {remedy}")
        if order.dry_run:
            return OrderedChange(True)
        details = OrderDetails(scope=order.scope, reason=order.reason, until=order.until)
        action = flow_save(flow, RESTART, by=order.by, publishes=order.publishes, order=details)
        return OrderedChange(True, action)
