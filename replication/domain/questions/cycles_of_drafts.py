"""Finds cycles among the flows of drafts before any of them runs; the clusters are not asked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from replication.domain.desired.desired_flow import DesiredFlow
from replication.domain.identifiers import FlowId
from replication.domain.plan.preflight import PreflightFinding
from replication.domain.settings.registry.records import LOOP_ORIGINS, LOOP_PROTECTION

Flows = Mapping[FlowId, DesiredFlow]


def draft_cycles(flows: Flows) -> dict[FlowId, tuple[PreflightFinding, ...]]:
    """Return the cycles that each enabled flow is part of. Settings that cannot be read are reported elsewhere."""
    enabled = {flow_id: flow for flow_id, flow in flows.items() if flow.enabled and flow.topics.allow}
    keeping = {flow_id: flow for flow_id, flow in enabled.items() if flow.policy.kind == "identity"}
    found: defaultdict[FlowId, list[PreflightFinding]] = defaultdict(list)
    for flow_id in keeping:
        back = FlowId(flow_id.target, flow_id.source)
        if back in keeping:
            _add(found, flow_id, _pair(flow_id, back, keeping))
        elif back in enabled:
            _add(found, flow_id, _renaming_pair(flow_id, back))
            _add(found, back, _renaming_pair(back, flow_id))
    for ring in _rings(keeping):
        for flow_id in ring:
            _add(found, flow_id, _ring(ring, keeping))
    return {flow_id: tuple(findings) for flow_id, findings in found.items()}


@dataclass(frozen=True, slots=True)
class _Protection:
    """The loop protection of a flow; "auto" where it cannot be read."""

    flow: DesiredFlow

    @property
    def word(self) -> str:
        try:
            return LOOP_PROTECTION.read(self.flow.connectors.source)
        except ValueError:
            return "auto"

    @property
    def decides(self) -> bool:
        """True when a person has decided about longer ways home."""
        try:
            origins = LOOP_ORIGINS.read(self.flow.connectors.source)
        except ValueError:
            return False
        return self.word in ("producer_ids", "headers") or bool(origins)


def _add(found: dict[FlowId, list[PreflightFinding]], flow_id: FlowId, finding: PreflightFinding | None) -> None:
    if finding is not None:
        found[flow_id].append(finding)


def _pair(flow_id: FlowId, back: FlowId, flows: Flows) -> PreflightFinding | None:
    unguarded = [str(each) for each in (flow_id, back) if _Protection(flows[each]).word == "off"]
    if not unguarded:
        return PreflightFinding(
            severity="note",
            code="identity_pair",
            text=f"{flow_id} and {back} keep topic names; loop protection drops what returns",
            remedy="deny the topics in one direction if they are not meant to be copied both ways",
        )
    return PreflightFinding(
        severity="error",
        code="identity_loop",
        text=f"{flow_id} and {back} keep topic names, and loop protection is off on {', '.join(unguarded)}: records "
        "would go in cycles",
        remedy=f"set {LOOP_PROTECTION}=auto, or choose another replication policy",
    )


def _renaming_pair(flow_id: FlowId, back: FlowId) -> PreflightFinding:
    return PreflightFinding(
        severity="warning",
        code="mixed_policies",
        text=f"only one of {flow_id} and {back} keeps topic names: a copy that returns gets another name on each round",
        remedy="give both flows the same replication policy, or deny the copies in one direction",
    )


def _ring(ring: tuple[FlowId, ...], flows: Flows) -> PreflightFinding | None:
    if all(_Protection(flows[each]).decides for each in ring):
        return None
    path = " -> ".join([*(each.source for each in ring), ring[0].source])
    return PreflightFinding(
        severity="error",
        code="identity_circle",
        text=f"the flows {path} keep topic names: records could go in cycles",
        remedy=f"set {LOOP_PROTECTION}=headers on every flow of the ring, or {LOOP_ORIGINS} where records arrive "
        "directly, or deny the topics on one flow",
    )


def _rings(flows: Iterable[FlowId]) -> tuple[tuple[FlowId, ...], ...]:
    """Return one ring of three or more clusters through each flow that has one, the shortest; each ring once."""
    targets: defaultdict[str, list[str]] = defaultdict(list)
    for flow_id in sorted(flows):
        targets[flow_id.source].append(flow_id.target)
    rings: dict[frozenset[FlowId], tuple[FlowId, ...]] = {}
    for flow_id in sorted(flows):
        way = _way_home(flow_id, targets)
        if way is not None:
            ring = (flow_id, *(FlowId(start, end) for start, end in pairwise(way)))
            rings.setdefault(frozenset(ring), ring)
    return tuple(rings.values())


def _way_home(flow_id: FlowId, targets: Mapping[str, list[str]]) -> tuple[str, ...] | None:
    """Return the clusters of the shortest way back that is not the flow straight back."""
    ways: list[tuple[str, ...]] = [(flow_id.target,)]
    seen = {flow_id.target}
    for way in ways:  # grows while it is read
        for cluster in targets.get(way[-1], ()):
            if cluster == flow_id.source and len(way) > 1:
                return (*way, cluster)
            if cluster not in seen and cluster != flow_id.source:
                seen.add(cluster)
                ways.append((*way, cluster))
    return None
