"""The state of each topic of a flow's source: replicated, available, denied, conflicting or departed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from replication.domain.names.replication_policy import is_cycle
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.topic_plan import TopicRules, TopicSelection

TopicStateWord = Literal["replicated", "available", "denied", "conflicting", "departed"]
STATE_ORDERINGS = ("topic", "state", "remote", "partitions", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicState:
    """A topic and why it is in its state; `remote` is None where it would have no remote topic."""

    topic: str
    state: TopicStateWord
    partitions: int | None  # on the source; None where the source has no such topic
    remote: str | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicStates:
    """A page of the topics by name; `counts` has the number of all topics in each state."""

    source: str
    target: str
    items: tuple[TopicState, ...]
    counts: dict[str, int] = field(default_factory=dict)
    next_after: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTopics:
    """The knowledge of a flow's topics: those of the source, the flow's selection, its plan and its neighbours."""

    rules: TopicRules
    partitions: Mapping[str, int]
    selection: TopicSelection
    plan: PlanDocument | None
    copied_by: Mapping[str, str]  # other flows, by remote topic


def topic_states(seen: SeenTopics) -> tuple[TopicState, ...]:
    """Return the state of each topic of the source, and of those that the flow copied and that left, by name."""
    plan = seen.plan
    left = [] if plan is None else [name for name, _ in plan.left]
    copied = {} if plan is None else {topic.upstream: topic.remote for topic in plan.topics}
    refused = {each.topic: each.reason for each in seen.selection.skipped}
    refused |= {} if plan is None else {each.topic: each.reason for each in plan.skipped}
    names = sorted({*seen.partitions, *copied, *left})
    wanted = {topic.upstream for topic in seen.selection.wanted}
    return tuple(_state(name, seen, copied, refused, wanted, frozenset(left)) for name in names)


def page_of(
    states: tuple[TopicState, ...], *, state: str, search: str, after: str, ordering: str = ""
) -> tuple[TopicState, ...]:
    """Return those in the state (all for ""), with the text in their name, behind the place `after`.

    `ordering` is a field, with `-` for descending; unknown values are last. Without one they are ordered by name.
    """
    ordered = _ordered(states, ordering)
    places = {each.topic: place for place, each in enumerate(ordered, 1)}
    if ordering in ("", "topic") and after not in places:
        rest = [each for each in ordered if each.topic > after]
    else:
        rest = ordered[places.get(after, len(ordered) if after else 0) :]
    return tuple(each for each in rest if state in ("", each.state) and search.casefold() in each.topic.casefold())


def _ordered(states: tuple[TopicState, ...], ordering: str) -> list[TopicState]:
    column = ordering.lstrip("-") or "topic"
    by_name = sorted(states, key=lambda each: each.topic)
    known = [each for each in by_name if getattr(each, column) is not None]
    known.sort(key=lambda each: getattr(each, column), reverse=ordering.startswith("-"))
    return [*known, *(each for each in by_name if getattr(each, column) is None)]


def _state(
    name: str,
    seen: SeenTopics,
    copied: Mapping[str, str],
    refused: Mapping[str, str],
    wanted: set[str],
    left: frozenset[str],
) -> TopicState:
    partitions = seen.partitions.get(name)
    source = seen.rules.source
    remote = copied.get(name) or seen.rules.policy.format_remote_topic(source, name)
    word, reason = _word(name, remote, seen, copied, refused, wanted, left)
    has_copy = word != "denied" or name in copied
    return TopicState(topic=name, state=word, partitions=partitions, remote=remote if has_copy else None, reason=reason)


def _word(
    name: str,
    remote: str,
    seen: SeenTopics,
    copied: Mapping[str, str],
    refused: Mapping[str, str],
    wanted: set[str],
    left: frozenset[str],
) -> tuple[TopicStateWord, str | None]:
    source = seen.rules.source
    if name not in seen.partitions:
        return "departed", f"it was deleted on {source}; its copy is kept"
    if name in copied:
        return "replicated", None
    if name in refused:
        return "conflicting", refused[name]
    taken_by = seen.copied_by.get(remote)
    if taken_by is not None:
        return "conflicting", f"{taken_by} copies to {remote}"
    if name in left:
        return "departed", "the flow copied it before; its copy is kept"
    if name in wanted:
        return "available", "the flow selects it; the next planning run adds it"
    denial = denial_of(name, seen.rules)
    return ("denied", denial) if denial is not None else ("available", "no allow pattern matches it")


def denial_of(name: str, rules: TopicRules) -> str | None:
    """Return why a topic is never selected, regardless of the allow list; None where it may be."""
    if rules.internal.matches(name):
        return "it is an internal topic"
    if is_cycle(rules.policy, name, rules.target):
        return f"it comes from {rules.target}"
    return rules.topics.denial(name)
