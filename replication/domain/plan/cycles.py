"""Finds flows that could send records round for ever, as far as the internal topics of a flow's two clusters show.

A flow that keeps names drops what the flow straight back has written. Longer ways home it does not see, and where the
flow back renames topics, each round would add a name. Both must be decided by a person before the first record.
"""

from collections.abc import Collection, Container
from dataclasses import dataclass

from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topic import DEFAULT_SEPARATOR
from replication.domain.names.internal_topics import OFFSET_SYNCS, POSITIONS
from replication.domain.names.replication_policy import DefaultPolicy, ReplicationPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleCycle:
    """`flows` could copy records back to `origins`, about which no one has decided.

    Flows out of the target are missing if no topic of it shows them.
    """

    origins: tuple[str, ...]
    flows: tuple[FlowId, ...]


def possible_cycle(
    flow: FlowId,
    decided: Container[str],
    source_topics: Collection[str],
    target_topics: Collection[str],
    *,
    separator: str,
    shows_outflows: bool,
) -> PossibleCycle | None:
    """Return the cycle that the flow may be part of; only of use where names are kept.

    A flow leaves its positions on its target and, where `shows_outflows`, its offset syncs on its source.
    """
    inflows = POSITIONS.aliases(source_topics) - {flow.source, flow.target}
    outflows = OFFSET_SYNCS.aliases(target_topics, separator) - {flow.source, flow.target}
    if shows_outflows and not outflows:
        return None  # what arrives at the target stays there, or goes straight back
    origins = tuple(sorted(alias for alias in inflows if alias not in decided))
    if not origins:
        return None
    flows_in = (FlowId(alias, flow.source) for alias in origins)
    flows_out = (FlowId(flow.target, alias) for alias in sorted(outflows))
    return PossibleCycle(origins=origins, flows=(*flows_in, flow, *flows_out))


def came_back(
    flow: FlowId,
    policy: ReplicationPolicy,
    topic: str,
    source_topics: Container[str],
    target_topics: Container[str],
    *,
    separator: str = DEFAULT_SEPARATOR,
) -> str | None:
    """The topic that `topic` is a copy of, where one flow of a pair keeps names and the other one renames."""
    if POSITIONS.name(flow.target) not in source_topics:
        return None
    renamed, origin, home = policy, flow.source, source_topics
    if policy.format_remote_topic(flow.source, topic) == topic:
        renamed, origin, home = DefaultPolicy(separator), flow.target, target_topics
    elif topic not in target_topics:
        return None
    upstream = renamed.upstream_topic(topic) if renamed.topic_source(topic) == origin else None
    return upstream if upstream is not None and upstream != topic and upstream in home else None
