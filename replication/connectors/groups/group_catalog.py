"""The consumer groups of a source cluster that a flow translates: those with a commit on a topic of the flow.

A search costs one list request per broker. Commits are read of new groups immediately, of groups without commits with
growing pauses, and of the others from time to time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from replication.domain.groups.consumer_group import Commits, GroupProblem, ListedGroup
from replication.domain.groups.group_summary import SkippedGroup
from replication.domain.groups.returned_topics import ReturnedTopics
from replication.domain.groups.sync.sync_causes import GROUP_DENIED, TOPIC_DENIED
from replication.domain.names.filters import NameFilter
from replication.domain.settings.registry.consumer_groups import REVERSE_CHECKPOINTING
from replication.ports.groups.group_admin import GroupAdmin

_PER_SEARCH = 5_000  # groups whose commits one search reads
_FIRST_PAUSE_MS = 10_000
_LONGEST_PAUSE_MS = 300_000
_FOUND_PAUSE_MS = 600_000
_SHARE = "a share group has no offset per partition that could be translated"
_COPIES = (
    "its offsets are of copies that came from {target}; "
    f"{REVERSE_CHECKPOINTING.key} translates them back where it is on and a list allows the topic"
)
_NO_COMMIT = "it has no committed offset on a topic of the flow"


@dataclass(frozen=True, slots=True)
class _Known:
    """A group's commits as they were read last. `reason` is why it is skipped; empty for one that is translated.

    `is_unread` says that its coordinator has not given them yet.
    """

    reason: str
    next_ms: int
    pause_ms: int
    topics: frozenset[str] = frozenset()  # of the flow, with a commit
    is_unread: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGroups:
    """`listed` are all groups that the filter accepts, `translated` those with a commit on topics of the flow.

    `unread` are groups whose coordinators have not given their commits since this process started.
    """

    listed: frozenset[str]
    translated: Mapping[str, frozenset[str]]
    unread: frozenset[str]
    skipped: tuple[SkippedGroup, ...]
    is_complete: bool  # False: the commits of further groups are read by the next search


class GroupCatalog:
    """Blocking; one thread at a time."""

    def __init__(self, admin: GroupAdmin, groups: NameFilter, topics: ReturnedTopics) -> None:
        self._admin = admin
        self._groups = groups
        self._topics = topics
        self._accepted: dict[str, bool] = {}
        self._is_ours: dict[str, bool] = {}
        self._known: dict[str, _Known] = {}
        self._same: dict[frozenset[str], frozenset[str]] = {}  # one set for the many groups that read the same topics

    def discover(self, now_ms: int) -> FoundGroups:
        """Search for groups. Raises the errors of GroupAdmin."""
        return self.choose(self._admin.list_groups(), now_ms)

    def choose(self, groups: Mapping[str, ListedGroup], now_ms: int) -> FoundGroups:
        """Search among these groups of the cluster. Raises the errors of GroupAdmin."""
        listed = {name: group for name, group in groups.items() if self._wants(name)}
        self._known = {name: known for name, known in self._known.items() if name in listed}
        due = [name for name, group in listed.items() if group.type != "share" and self._is_due(name, now_ms)]
        self._read(sorted(due, key=self._since)[:_PER_SEARCH], now_ms)
        return FoundGroups(
            listed=frozenset(listed),
            translated={name: known.topics for name, known in self._known.items() if not known.reason},
            unread=frozenset(name for name, known in self._known.items() if known.is_unread),
            skipped=tuple(self._skipped(listed)),
            is_complete=len(due) <= _PER_SEARCH,
        )

    def _wants(self, name: str) -> bool:
        if name not in self._accepted:
            self._accepted[name] = self._groups.accepts(name)
        return self._accepted[name]

    def _is_due(self, name: str, now_ms: int) -> bool:
        """A time that is further away than any pause is one of a clock that was set back."""
        known = self._known.get(name)
        return known is None or not 0 < known.next_ms - now_ms <= _FOUND_PAUSE_MS

    def _since(self, name: str) -> int:
        known = self._known.get(name)
        return 0 if known is None else known.next_ms

    def _read(self, names: list[str], now_ms: int) -> None:
        answers = self._admin.commits(names) if names else {}
        for name in names:
            answer, before = answers.get(name, {}), self._known.get(name)
            is_unread = isinstance(answer, GroupProblem) and answer.code not in (GROUP_DENIED, TOPIC_DENIED)
            if is_unread and before is not None and not before.reason:
                self._known[name] = replace(before, next_ms=now_ms + _FIRST_PAUSE_MS)
                continue
            topics = frozenset() if isinstance(answer, GroupProblem) else self._topics_of_flow(answer)
            reason = answer.text if isinstance(answer, GroupProblem) else "" if topics else self._absence(answer)
            pause_ms = _FIRST_PAUSE_MS if before is None else min(_LONGEST_PAUSE_MS, 2 * before.pause_ms)
            self._known[name] = _Known(
                reason=reason,
                next_ms=now_ms + (pause_ms if reason else _FOUND_PAUSE_MS),
                pause_ms=pause_ms if reason else _FIRST_PAUSE_MS,
                topics=self._same.setdefault(topics, topics),
                is_unread=is_unread and (before is None or before.is_unread),
            )

    def _absence(self, commits: Commits) -> str:
        if any(self._topics.came_back(topic) for topic in {each.topic for each in commits}):
            return _COPIES.format(target=self._topics.target)
        return _NO_COMMIT

    def _topics_of_flow(self, commits: Commits) -> frozenset[str]:
        return frozenset(topic for topic in {each.topic for each in commits} if self._is_of_flow(topic))

    def _is_of_flow(self, topic: str) -> bool:
        if topic not in self._is_ours:
            self._is_ours[topic] = self._topics.accepts(topic)
        return self._is_ours[topic]

    def _skipped(self, listed: Mapping[str, ListedGroup]) -> list[SkippedGroup]:
        """The groups that the filter accepts and that are not translated, refused ones first."""
        share = [SkippedGroup(group=name, reason=_SHARE) for name, group in listed.items() if group.type == "share"]
        others = [SkippedGroup(group=name, reason=known.reason) for name, known in self._known.items() if known.reason]
        return sorted([*share, *others], key=lambda each: (each.reason == _NO_COMMIT, each.group))
