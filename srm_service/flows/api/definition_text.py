"""The effect of enabling, disabling or deleting a flow in words, for dry runs."""

from collections import Counter
from typing import Literal

from replication.domain.identifiers import FlowId
from srm_service.flows.selectors import flow_find
from srm_service.monitoring.flows.live_state import LiveSnapshot

DefinitionChange = Literal["enable", "disable", "delete"]
_HALTED = {"pause": "paused: it copies when it is resumed", "stop": "stopped: it copies when it is started"}


def definition_text(change: DefinitionChange, flow: FlowId, live: LiveSnapshot) -> list[str]:
    """Return what begins or ends with the change, then what is kept."""
    if change == "enable":
        return _enabled(flow)
    text = [f"With this order, {_ending(change, flow, live)}"]
    if change == "disable":
        return [*text, "its positions, settings, pauses and throttles are kept"]
    kept = f"its remote topics, their records and its positions in {flow.target} are kept"
    return [*text, "its settings, description, orders and resets are removed", kept]


def _enabled(flow: FlowId) -> list[str]:
    known = flow_find(flow.source, flow.target)
    if known is None:
        return []
    tasks = "1 source task" if known.tasks_max == 1 else f"{known.tasks_max} source tasks"
    text = [f"With this order, {flow} starts at its positions with at most {tasks}"]
    if not known.allows_topics:
        text.append(f"its list of topics is empty: {flow} copies nothing until the list allows topics")
    return text + ([f"{flow} is {_HALTED[known.state]}"] if known.state in _HALTED else [])


def _ending(change: DefinitionChange, flow: FlowId, live: LiveSnapshot) -> str:
    """Return which tasks end; the heartbeat task of a disabled flow remains."""
    if live.problem:
        return f"{flow} ends its tasks; {live.problem}: their number is unknown"
    remains = "heartbeat" if change == "disable" else ""
    kinds = Counter(task.kind for task in live.tasks.get(flow, ()))
    ending = [_counted(count, kind) for kind, count in sorted(kinds.items()) if kind != remains]
    text = f"{flow} ends {', '.join(ending)}" if ending else f"{flow} ends no task, as none reports"
    return f"{text}; its heartbeats continue" if kinds[remains] else text


def _counted(count: int, kind: str) -> str:
    return f"{count} {kind} task" if count == 1 else f"{count} {kind} tasks"
