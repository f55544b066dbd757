"""The topics that allow and deny patterns would select on the source, and the names that they miss by little."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from replication.domain.errors import InvalidPatternError
from replication.domain.patterns.linear_pattern import LinearPattern, compile_java, compile_java_search
from replication.domain.plan.plan_document import SkippedTopic
from replication.domain.plan.topic_plan import TopicRules, TopicSelection
from replication.domain.questions.topic_state import denial_of

MissKind = Literal["case", "prefix", "part"]
_SEPARATORS = re.compile(r"[._-]")
_REASONS: dict[MissKind, str] = {
    "case": "it differs in upper and lower case",
    "prefix": "the pattern matches only what follows {prefix}",
    "part": "the pattern matches only a part of the name; patterns match whole names",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewMatch:
    """A topic that the patterns select; `copied_by` names other flows that bring it to the target already."""

    topic: str
    partitions: int
    remote: str
    is_replicated: bool  # by this flow, now
    copied_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeniedMatch:
    """A topic that an allow pattern matches and that is not copied."""

    topic: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A topic that an allow pattern misses by little."""

    topic: str
    pattern: str
    kind: MissKind
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
    wanted = [topic for topic in selection.wanted if rules.topics.accepts(topic.upstream)]
    matches = tuple(
        PreviewMatch(
            topic=topic.upstream,
            partitions=topic.partitions,
            remote=topic.remote,
            is_replicated=topic.upstream in present,
            copied_by=copied_by.get(topic.upstream, ()),
        )
        for topic in wanted
    )
    denied = _denied(rules, partitions, selection.skipped)
    others = sorted(set(partitions) - {each.topic for each in matches} - {each.topic for each in denied})
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
            "denied": len(denied),
            "near_misses": len(misses),
            "unmatched_patterns": len(unmatched),
        },
    )


def near_misses(allow: Sequence[LinearPattern], topics: Iterable[str]) -> tuple[NearMiss, ...]:
    """Return the names that a pattern misses by little, each with the first pattern that does."""
    searches = [search for pattern in allow if (search := _Search.of(pattern)) is not None]
    found = (next((miss for search in searches if (miss := search.miss(name)) is not None), None) for name in topics)
    return tuple(miss for miss in found if miss is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    pattern: LinearPattern
    either_case: LinearPattern
    anywhere: LinearPattern

    @classmethod
    def of(cls, pattern: LinearPattern) -> "_Search | None":
        """None for a pattern that is in every name, and for one that is too large for a search."""
        try:
            anywhere = compile_java_search(f"(?i){pattern.pattern}")
            either_case = compile_java(f"(?i){pattern.pattern}")
        except InvalidPatternError:
            return None
        return None if anywhere.is_in(b"") else cls(pattern=pattern, either_case=either_case, anywhere=anywhere)

    def miss(self, name: str) -> NearMiss | None:
        if not self.anywhere.is_in(name.encode()):
            return None
        kind: MissKind = "part"
        prefix = ""
        if self.either_case.matches(name):
            kind = "case"
        elif (prefix := self._prefix(name)) != "":
            kind = "prefix"
        reason = _REASONS[kind].format(prefix=prefix)
        return NearMiss(topic=name, pattern=self.pattern.pattern, kind=kind, reason=reason)

    def _prefix(self, name: str) -> str:
        """Return the shortest prefix behind which the pattern matches; empty without one."""
        ends = (found.end() for found in _SEPARATORS.finditer(name))
        return next((name[:end] for end in ends if self.pattern.matches(name[end:])), "")


def _denied(
    rules: TopicRules, partitions: Mapping[str, int], skipped: Iterable[SkippedTopic]
) -> tuple[DeniedMatch, ...]:
    reasons = {each.topic: each.reason for each in skipped}
    allowed = filter(rules.topics.allows, sorted(partitions))
    return tuple(
        DeniedMatch(topic=name, reason=reason)
        for name in allowed
        if (reason := reasons.get(name) or denial_of(name, rules)) is not None
    )
