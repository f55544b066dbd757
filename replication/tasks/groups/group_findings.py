"""Finds what the applications of groups would miss on the target: remote names, Streams topics, rights of readers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import structlog

from replication.domain.errors import ReplicationError
from replication.domain.groups.consumer_group import GroupDescription, GroupProblem
from replication.domain.groups.group_summary import GroupCause
from replication.domain.groups.judgement.group_rights import ClusterReaders, rights_cause
from replication.domain.groups.judgement.streams_topics import internal_topics_of_streams, streams_cause
from replication.domain.groups.judgement.subscription import Namesakes, namesakes, subscription_causes
from replication.ports.admin import ClusterAdmin

log = structlog.get_logger(__name__)
LOOK_EVERY_MS = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """The topics of the source, and the readers of both clusters; None where they cannot be read."""

    streams_topics: tuple[str, ...] = ()
    alike: Namesakes = field(default_factory=dict)
    source: ClusterReaders | None = None
    target: ClusterReaders | None = None


class GroupFindings:
    """Blocking; for one thread. Reads topics and ACLs of the clusters from time to time only.

    A cluster that does not show its ACLs is not judged by them.
    """

    def __init__(self, source: ClusterAdmin, target: ClusterAdmin) -> None:
        self._source = source
        self._target = target
        self._seen = _Seen()
        self._looked_ms: int | None = None

    def refresh(self, now_ms: int) -> None:
        """Read the clusters if it is time. Raises nothing of the clusters: what was read last stays in force."""
        if self._looked_ms is not None and 0 <= now_ms - self._looked_ms < LOOK_EVERY_MS:
            return
        self._looked_ms = now_ms
        seen = self._seen
        try:
            topics = self._source.list_topics()
            seen = replace(seen, streams_topics=internal_topics_of_streams(topics), alike=namesakes(topics))
        except ReplicationError as error:
            log.info("topics are not compared with subscriptions", cluster=self._source.alias, error=error.text)
        readers = _readers(self._source) or seen.source, _readers(self._target) or seen.target
        self._seen = replace(seen, source=readers[0], target=readers[1])

    def of(
        self,
        group: str,
        described: GroupDescription | GroupProblem | None,
        read: Collection[str],
        remote_of: Mapping[str, str],
    ) -> tuple[GroupCause, ...]:
        """Return the causes of one group.

        `described` is the group on the source; `read` are the upstream topics on which it has offsets, `remote_of` the
        remote topics of those that the flow copies.
        """
        seen = self._seen
        found = [streams_cause(group, seen.streams_topics, remote_of, self._target.alias)]
        if seen.source is not None and seen.target is not None:
            copied = {topic: remote_of[topic] for topic in read if topic in remote_of}
            found.append(rights_cause(group, copied, seen.source, seen.target, self._target.alias))
        subscribed: tuple[GroupCause, ...] = ()
        if isinstance(described, GroupDescription):
            copied_topics = [topic for topic in read if topic in remote_of]
            subscribed = subscription_causes(described, copied_topics, remote_of, seen.alike)
        return (*(each for each in found if each is not None), *subscribed)


def _readers(admin: ClusterAdmin) -> ClusterReaders | None:
    try:
        return ClusterReaders.of(admin.topic_acls(), admin.group_acls())
    except ReplicationError as error:
        log.info("rights of readers are not compared", cluster=admin.alias, error=error.text)
        return None
