"""Checks if the subscriptions of a group's members would match remote topics."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from replication.domain.errors import InvalidPatternError
from replication.domain.groups.consumer_group import GroupDescription
from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.readiness import cause
from replication.domain.patterns.linear_pattern import LinearPattern, compile_java

_SEPARATORS = re.compile(r"[._-]")
Namesakes = Mapping[str, Collection[str]]  # the topics that end with a separator and this name


def namesakes(topics: Iterable[str]) -> Namesakes:
    """Return the topics of a cluster by the names that they end with, such as `b.t` by `t`."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(topics):
        for separator in _SEPARATORS.finditer(name):
            found[name[separator.end() :]].append(name)
    return found


def subscription_causes(
    described: GroupDescription, read: Collection[str], remote_of: Mapping[str, str], alike: Namesakes
) -> tuple[GroupCause, ...]:
    """Return a cause per topic that the members read and whose remote topic their subscription does not match.

    `read` are the upstream topics on which the group has offsets; `remote_of` names their remote topics, `alike` are
    the source's topics. Without members, nothing is known. A client resolves its own pattern to names before it tells
    its coordinator: names alone are a note that leaves the group ready, except if the source has a copy under another
    prefix that a pattern would have matched.
    """
    if described.members == 0 or (described.topics is None and not described.patterns):
        return ()
    return tuple(_causes(described, read, remote_of, alike))


def _causes(
    described: GroupDescription, read: Collection[str], remote_of: Mapping[str, str], alike: Namesakes
) -> Iterator[GroupCause]:
    names = described.topics or frozenset()
    patterns = tuple(_compiled(described.patterns))
    unread = len(patterns) < len(described.patterns)
    for topic in sorted(read):
        remote = remote_of.get(topic, topic)
        is_matched = remote in names or any(pattern.matches(remote) for pattern in patterns)
        if is_matched or unread or remote == topic:
            continue
        shown = ", ".join(described.patterns)
        if described.patterns and not names:
            detail = f"the pattern {shown} does not match the remote topic {remote}"
            yield cause("subscription_misses_remote", at=(topic, None), detail=detail, topic=topic, remote=remote)
        elif topic in names:
            yield _named(topic, remote, names, alike.get(topic, ()))


def _named(topic: str, remote: str, names: frozenset[str], alike: Collection[str]) -> GroupCause:
    """A pattern such as `.*topic` would have matched copies that come back from elsewhere, such as `other.topic`."""
    passed_over = [name for name in alike if name not in names]
    if passed_over:
        detail = (
            f"the members subscribe to {topic} by name (they do not read {passed_over[0]}), which does not match the "
            f"remote topic {remote}"
        )
        return cause("subscription_misses_remote", at=(topic, None), detail=detail, topic=topic, remote=remote)
    detail = f"check that the subscription, which the coordinator knows as {topic}, matches the remote topic {remote}"
    return cause(
        "subscription_misses_remote", at=(topic, None), readiness="ready", detail=detail, topic=topic, remote=remote
    )


def _compiled(patterns: Collection[str]) -> Iterator[LinearPattern]:
    """Patterns of brokers are RE2's; one that we do not understand is left to the reader."""
    for text in patterns:
        try:
            yield compile_java(text)
        except InvalidPatternError:
            continue
