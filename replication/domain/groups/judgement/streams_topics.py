"""Finds Kafka Streams applications by their internal topics, and names those that the target does not have."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.readiness import cause

StreamsTopicKind = Literal["changelog", "repartition"]
_MOST_NAMED = 5
_KINDS: tuple[StreamsTopicKind, ...] = ("changelog", "repartition")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsTopic:
    """An internal topic of a Streams application: `<group>-<name>-changelog` or `-repartition`."""

    topic: str
    kind: StreamsTopicKind
    name: str  # of the state store, or of the repartitioned stream


def internal_topics_of_streams(topics: Iterable[str]) -> tuple[str, ...]:
    """Return the topics that have the names of internal topics of Streams applications."""
    ends = tuple(f"-{kind}" for kind in _KINDS)
    return tuple(sorted(topic for topic in topics if topic.endswith(ends)))


def streams_topics(group: str, topics: Iterable[str]) -> tuple[StreamsTopic, ...]:
    """Return the internal topics that an application of this group id would have, by name."""
    found = []
    for topic in sorted(topics):
        for kind in _KINDS:
            prefix, suffix = f"{group}-", f"-{kind}"
            if topic.startswith(prefix) and topic.endswith(suffix) and len(topic) > len(prefix) + len(suffix):
                found.append(StreamsTopic(topic=topic, kind=kind, name=topic[len(prefix) : -len(suffix)]))
    return tuple(found)


def streams_cause(
    group: str, source_topics: Iterable[str], remote_of: Mapping[str, str], target: str
) -> GroupCause | None:
    """Return the cause for an application whose internal topics the flow does not copy under their own names.

    An application finds its state by these names only. `remote_of` names the remote topics of copied ones.
    """
    missing = [each for each in streams_topics(group, source_topics) if remote_of.get(each.topic) != each.topic]
    if not missing:
        return None
    stores = [f"state store {each.name} ({each.topic})" for each in missing if each.kind == "changelog"]
    others = [each.topic for each in missing if each.kind != "changelog"]
    named = [*stores, *others]
    more = len(named) - _MOST_NAMED
    text = ", ".join(named[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return cause("streams_internal_topics", missing=text, target=target)
