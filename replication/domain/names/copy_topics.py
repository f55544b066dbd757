"""The names of the topics in which a flow writes how it copies."""

from dataclasses import dataclass

from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import GAPS, OFFSET_RUNS, POSITIONS, offset_syncs_topic


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyTopics:
    """Runs, positions and gaps are on the target."""

    source: str
    runs: str
    positions: str
    gaps: str
    syncs: str
    syncs_on_target: bool

    @classmethod
    def of(cls, flow: FlowId, *, separator: str, syncs_on_target: bool) -> "CopyTopics":
        return cls(
            source=flow.source,
            runs=OFFSET_RUNS.name(flow.source),
            positions=POSITIONS.name(flow.source),
            gaps=GAPS.name(flow.source),
            syncs=offset_syncs_topic(flow, separator=separator, on_target=syncs_on_target),
            syncs_on_target=syncs_on_target,
        )
