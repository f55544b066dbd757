"""The topics that allow and deny patterns would select on the source, and the names that they miss by little."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from replication.domain.plan.plan_document import SkippedTopic
from replication.domain.plan.topic_plan import TopicRules, TopicSelection, WantedTopic
from replication.domain.questions.near_misses import NearMiss, near_misses
from replication.domain.questions.topic_state import denial_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewMatch:
    """A topic that the flow would copy; `copied_by` names other flows that bring it to the target already."""

    topic: str
    partitions: int
    remote: str
    is_replicated: bool  # by this flow, now
    copied_by: tuple[str, ...] = ()
    is_heartbeats: bool = False  # copied without any pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class DeniedMatch:
    """A topic that an allow pattern matches and that is not copied."""

    topic: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPreview:
    """Lists hold the first entries; `counts` has the number of all by the name of the list."""

    source: str
    target: str
    matches: tuple[PreviewMatch, ...]
    denied: tuple[DeniedMatch, ...]
    near_misses: tuple[NearMiss, ...]
    unmatched_patterns: tuple[str, ...]  # allow patterns that match no topic
    counts: dict[str, int] = field(default_factory=dict)


def preview(
    rules: TopicRules,
    partitions: Mapping[str, int],
    selection: TopicSelection,
    *,
    replicated: Iterable[str],
    copied_by: Mapping[str, tuple[str, ...]],
    most: int,
) -> TopicPreview:
    """`selection` is the one of `rules`; `copied_by` has the other flows of a topic."""
    present = frozenset(replicated)
    matches = tuple(_match(rules, topic, present, copied_by) for topic in selection.wanted)
    names = frozenset(match.topic for match in matches)
    denied = _denied(rules, sorted(partitions.keys() - names), selection.skipped)
    others = sorted(set(partitions) - names - {each.topic for each in denied})
    misses = near_misses(rules.topics.allow, [name for name in others if denial_of(name, rules) is None])
    unmatched = rules.topics.unmatched(partitions)
    return TopicPreview(
        source=rules.source,
        target=rules.target,
        matches=matches[:most],
        denied=denied[:most],
        near_misses=misses[:most],
        unmatched_patterns=unmatched[:most],
        counts={
            "matches": len(matches),
            "heartbeat_topics": sum(match.is_heartbeats for match in matches),
            "denied": len(denied),
            "near_misses": len(misses),
            "unmatched_patterns": len(unmatched),
        },
    )


def _match(
    rules: TopicRules, topic: WantedTopic, present: frozenset[str], copied_by: Mapping[str, tuple[str, ...]]
) -> PreviewMatch:
    return PreviewMatch(
        topic=topic.upstream,
        partitions=topic.partitions,
        remote=topic.remote,
        is_replicated=topic.upstream in present,
        copied_by=copied_by.get(topic.upstream, ()),
        is_heartbeats=rules.is_heartbeats(topic.upstream),
    )


def _denied(rules: TopicRules, names: Iterable[str], skipped: Iterable[SkippedTopic]) -> tuple[DeniedMatch, ...]:
    reasons = {each.topic: each.reason for each in skipped}
    allowed = filter(rules.topics.allows, names)
    return tuple(
        DeniedMatch(topic=name, reason=reason)
        for name in allowed
        if (reason := reasons.get(name) or denial_of(name, rules)) is not None
    )
