"""The plan of a flow as its driver reported it: size, warnings, skipped topics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from replication.domain.identifiers import FlowId
from srm_service.core.contracts import Partial
from srm_service.monitoring.flows.live_state import LiveSnapshot

_NO_PLAN = "no driver reports the plan of {flow}: start a driver that serves {target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanNote:
    """A warning of the plan."""

    code: str
    text: str
    cluster: Annotated[str | None, "on which to act; null: it is about the flow, its settings, or not known"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedTopicNow:
    """A topic that the lists allow and that is not copied, and why."""

    topic: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanNow:
    """The plan of a flow; null is unknown."""

    source: str
    target: str
    generation: int | None = None
    version: int | None = None
    planned_ms: Annotated[int | None, "time of the plan, in ms since the epoch"] = None
    tasks_max: int | None = None
    topics: int | None = None
    partitions: int | None = None
    skipped_topics: Annotated[int | None, "number of topics that the lists allow and that are not copied"] = None
    skipped_groups: Annotated[int | None, "number of groups that the lists allow and that are not translated"] = None
    warnings: tuple[PlanNote, ...] = ()
    partial: tuple[Partial, ...] = ()


def plan_now(flow: FlowId, live: LiveSnapshot) -> PlanNow:
    """Return the newest plan of a flow; `partial` says why it is unknown."""
    plan = live.plans.get(flow)
    if plan is None:
        return PlanNow(source=flow.source, target=flow.target, partial=plan_missing(flow, live))
    topics = _records(plan, "topics")
    return PlanNow(
        source=flow.source,
        target=flow.target,
        generation=_whole(plan.get("generation")),
        version=_whole(plan.get("version")),
        planned_ms=_whole(plan.get("planned_ms")),
        tasks_max=_whole(plan.get("tasks_max")),
        topics=len(topics),
        partitions=sum(_whole(topic.get("partitions")) or 0 for topic in topics),
        skipped_topics=len(_records(plan, "skipped")),
        skipped_groups=len(_records(plan, "skipped_groups")),
        warnings=tuple(
            PlanNote(code=str(each.get("code")), text=str(each.get("text")), cluster=each.get("cluster"))
            for each in _records(plan, "warnings")
        ),
    )


def skipped_topics(flow: FlowId, live: LiveSnapshot) -> tuple[SkippedTopicNow, ...]:
    """Return the topics that the newest plan of a flow skips; none without a plan."""
    return tuple(
        SkippedTopicNow(topic=str(each.get("topic")), reason=str(each.get("reason")))
        for each in _records(live.plans.get(flow, {}), "skipped")
    )


def plan_missing(flow: FlowId, live: LiveSnapshot) -> tuple[Partial, ...]:
    """Return why the plan of a flow is unknown; nothing if it is known."""
    if flow in live.plans:
        return ()
    return live.partial or (Partial(peer="drivers", error=_NO_PLAN.format(flow=flow, target=flow.target)),)


def _records(plan: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = plan.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
