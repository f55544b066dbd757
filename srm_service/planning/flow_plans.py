"""Joins what the service knows of a draft with what the control workers found: no I/O."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from replication.domain.identifiers import FlowId
from replication.domain.plan.preflight import PreflightFinding
from replication.domain.questions.flow_changes import FlowChanges, Unlooked
from replication.domain.questions.json_shape import from_plain
from replication.domain.questions.question import FlowAnswer
from replication.domain.sentences import sentence
from replication.domain.settings.registry.all_settings import find_setting
from srm_service.planning.contracts import ChangedValue, ShownValue

_SEVERITIES = ("error", "warning", "note")
Values = Mapping[str, ShownValue]


def changed_values(before: Values | None, after: Values | None) -> tuple[ChangedValue, ...]:
    """Return the settings whose effective value or level differs; None: the flow does not exist there."""
    if after is None:
        return ()  # the values of a flow that is removed say nothing
    names = sorted({*(before or {}), *after})
    return tuple(_changed(name, before, after) for name in names if _of(before, name) != _of(after, name))


def flow_changes_of(flow: FlowId, answer: FlowAnswer) -> FlowChanges:
    """Return what the control worker found; if it found nothing, a change plan that says why."""
    problem = answer.problem or "the control worker gave no answer"
    if answer.content is not None:
        try:
            return from_plain(FlowChanges, answer.content)
        except ValueError as error:
            problem = f"the answer cannot be read ({error}): update service and drivers to one release"
    unlooked = (Unlooked(part="flow", reason=problem),)
    return FlowChanges(source=flow.source, target=flow.target, unlooked=unlooked)


def with_findings(change: FlowChanges, findings: Iterable[PreflightFinding]) -> FlowChanges:
    """Add findings of the service, errors first; one that the control worker has, too, is told once.

    All are sentences then, as are the reasons of what was not inspected.
    """
    known = {finding.code for finding in change.findings}
    found = [*change.findings, *(finding for finding in findings if finding.code not in known)]
    found.sort(key=lambda finding: _SEVERITIES.index(finding.severity))
    added = len(found) - len(change.findings)
    counts = change.counts | {"findings": change.counts.get("findings", len(change.findings)) + added}
    unlooked = tuple(replace(each, reason=sentence(each.reason)) for each in change.unlooked)
    return replace(change, findings=tuple(each.as_told() for each in found), unlooked=unlooked, counts=counts)


def shared_names(changes: Iterable[FlowChanges]) -> dict[FlowId, tuple[PreflightFinding, ...]]:
    """Return a warning per flow for remote topics that several flows of the draft would create."""
    writers: dict[tuple[str, str], list[FlowId]] = {}
    for change in changes:
        for topic in change.topics_created or ():
            if topic.upstream is not None:
                flow_id = FlowId(change.source, change.target)
                writers.setdefault((change.target, topic.name), []).append(flow_id)
    found: dict[FlowId, list[PreflightFinding]] = {}
    for (target, name), flows in sorted(writers.items()):
        for flow_id in flows if len(flows) > 1 else ():
            others = ", ".join(str(other) for other in flows if other != flow_id)
            finding = PreflightFinding(
                severity="warning",
                code="remote_name_shared",
                text=f"topic {name} on {target} would also be written by {others}",
                remedy="choose a replication policy that names the source, or deny the topic in one of the flows",
            )
            found.setdefault(flow_id, []).append(finding)
    return {flow_id: tuple(findings) for flow_id, findings in found.items()}


def taken_findings(change: FlowChanges) -> tuple[PreflightFinding, ...]:
    """Return one warning per remote name that is taken."""
    return tuple(
        PreflightFinding(
            severity="warning",
            code="remote_name_taken",
            text=f"topic {taken.remote} exists on {change.target}"
            + (f" and {taken.taken_by} copies to it" if taken.taken_by else ", and this flow has not created it"),
            remedy=f"deny {taken.upstream}, choose another replication policy, or delete the topic if it is not needed",
            topic=taken.upstream,
            cluster=change.target,
        )
        for taken in change.names_taken or ()
    )


def _of(values: Values | None, name: str) -> ShownValue | None:
    return None if values is None else values.get(name)


def _changed(name: str, before: Values | None, after: Values | None) -> ChangedValue:
    setting = find_setting(name)
    old, new = _of(before, name), _of(after, name)
    default = None if setting is None else setting.default_text

    def text(side: Values | None, value: ShownValue | None) -> str | None:
        if value is not None:
            return value.value
        return None if side is None else default

    return ChangedValue(
        key=name,
        before=text(before, old),
        after=text(after, new),
        level_before=None if old is None else old.level,
        level_after=None if new is None else new.level,
        takes_effect=None if setting is None else setting.change,
    )
