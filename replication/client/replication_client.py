"""A client of one cluster: what came there by replication, and where consumer groups of other clusters continue."""

from collections.abc import Callable, Collection, Mapping
from types import TracebackType
from typing import Self

from replication.client import topic_names
from replication.client.continuation import continued
from replication.client.translated_offset import GroupCheckpoint, TranslatedOffset
from replication.codecs.mm2_records import decode_checkpoint
from replication.domain.errors import MalformedRecordError
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.groups.translation import LogRange, Translation
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.names.copy_topics import CopyTopics
from replication.domain.names.internal_topic import DEFAULT_SEPARATOR
from replication.domain.names.internal_topic_filter import InternalTopicFilter
from replication.domain.names.internal_topics import CHECKPOINTS
from replication.domain.names.replication_policy import ReplicationPolicy
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.ports.admin import ClusterAdmin
from replication.ports.groups.copy_logs import CopyLogs
from replication.ports.record_log import RecordLog

CopyLogsOf = Callable[[CopyTopics], CopyLogs]


class ReplicationClient:
    """Blocking, for one thread, read only; `replication.client.connect` opens one.

    Every call raises ReplicationError where the cluster does not answer or refuses to.
    """

    def __init__(
        self,
        admin: ClusterAdmin,
        log: RecordLog,
        copy_logs: CopyLogsOf,
        policy: ReplicationPolicy,
        *,
        separator: str = DEFAULT_SEPARATOR,
        syncs_on_target: bool = False,
    ) -> None:
        """`separator` is that of the names of internal topics.

        With `syncs_on_target`, the flows' offset syncs are on this cluster and are read too.
        """
        self._admin = admin
        self._log = log
        self._open_copy_logs = copy_logs
        self._policy = policy
        self._separator = separator
        self._syncs_on_target = syncs_on_target
        self._internal = InternalTopicFilter(rule="kafka4", separator=separator)
        self._accounts: dict[str, tuple[CopyLogs, CopyAccount]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        for logs, _account in self._accounts.values():
            logs.close()
        self._log.close()
        self._admin.close()

    @property
    def policy(self) -> ReplicationPolicy:
        """The rule of the remote topics' names."""
        return self._policy

    def remote_topics(self, source: str | None = None) -> frozenset[str]:
        """Return the topics that are copies, of every source or of one."""
        return topic_names.remote_topics(self._topics(), self._policy, self._internal, source)

    def heartbeat_topics(self) -> frozenset[str]:
        """Return the heartbeats topics: the cluster's, and those copied to it."""
        return topic_names.heartbeat_topics(self._topics(), self._policy)

    def checkpoint_topics(self) -> frozenset[str]:
        """Return the topics of checkpoints."""
        return topic_names.checkpoint_topics(self._topics(), self._separator)

    def upstream_clusters(self) -> frozenset[str]:
        """Return the aliases of the clusters whose heartbeats come here, over any number of flows."""
        return topic_names.upstream_clusters(self._topics(), self._policy)

    def replication_hops(self, upstream: str) -> int | None:
        """Return the number of flows from a cluster to this one; None where there is no way from it."""
        return topic_names.replication_hops(self._topics(), self._policy, upstream)

    def _topics(self) -> Collection[str]:
        return self._admin.list_topics()

    def checkpoints(self, source: str, group: str | None = None) -> tuple[GroupCheckpoint, ...]:
        """Return the newest checkpoint of each group and remote partition, of every group or of one."""
        newest: dict[tuple[str, TopicPartition], GroupCheckpoint] = {}
        for record in self._log.read_to_end(CHECKPOINTS.name(source, self._separator), isolation="read_committed"):
            try:
                found = decode_checkpoint(record.key, record.value)
            except MalformedRecordError:
                continue  # as MirrorClient does
            if record.partition == 0 and group in (None, found.group):
                newest[found.group, found.remote] = GroupCheckpoint(
                    group=found.group,
                    remote=found.remote,
                    upstream_offset=found.upstream_offset,
                    downstream_offset=found.downstream_offset,
                    metadata=found.metadata,
                    written_ms=record.timestamp_ms,
                )
        return tuple(newest.values())

    def remote_consumer_offsets(self, group: str, source: str) -> Mapping[TopicPartition, TranslatedOffset]:
        """Return what `RemoteClusterUtils.translateOffsets` returns: the newest checkpoints."""
        return {
            each.remote: TranslatedOffset(offset=each.downstream_offset, metadata=each.metadata)
            for each in self.checkpoints(source, group)
        }

    def translated_offsets(self, group: str, source: str) -> Mapping[TopicPartition, TranslatedOffset]:
        """Return where a group continues, by remote partition: exactly where the flow tells, else by its checkpoint.

        The source need not answer: the upstream offsets are those of the newest checkpoints. A partition whose remote
        log is not the one that was copied to has the reason instead of an offset.
        """
        return {remote: found for (_group, remote), found in self.offsets_of_groups(source, group).items()}

    def offsets_of_groups(
        self, source: str, group: str | None = None
    ) -> Mapping[tuple[str, TopicPartition], TranslatedOffset]:
        """Return the `translated_offsets` of every group or of one, by group and remote partition."""
        checkpoints = self.checkpoints(source, group)
        account = self._account(source)
        logs = self._log_ranges({each.remote for each in checkpoints})
        return {
            (each.group, each.remote): self._continuation(each, source, account, logs.get(each.remote))
            for each in checkpoints
        }

    def _continuation(
        self, checkpoint: GroupCheckpoint, source: str, account: CopyAccount, log: LogRange | None
    ) -> TranslatedOffset:
        remote = checkpoint.remote
        own = self._upstream(source, remote)
        if own is None:
            return TranslatedOffset(offset=checkpoint.downstream_offset, metadata=checkpoint.metadata)
        place = account.translate(own, NO_TOPIC_ID, checkpoint.upstream_offset, None, log)
        same_from = None if own.topic == remote.topic else account.same_topic_from(own, NO_TOPIC_ID)
        return continued(checkpoint, place, log, same_from)

    def translate(
        self, source: str, commits: Mapping[TopicPartition, int], *, topic_ids: Mapping[str, bytes] | None = None
    ) -> Mapping[TopicPartition, Translation]:
        """Return the place of each upstream offset in its remote partition.

        `topic_ids` are those of the source's topics now; without them the newest topic counts that the flow copied.
        """
        account = self._account(source)
        remote = {upstream: self._remote(source, upstream) for upstream in commits}
        logs = self._log_ranges(set(remote.values()))
        ids = topic_ids or {}
        return {
            upstream: account.translate(
                upstream, ids.get(upstream.topic, NO_TOPIC_ID), offset, None, logs.get(remote[upstream])
            )
            for upstream, offset in commits.items()
        }

    def _account(self, source: str) -> CopyAccount:
        """Read what the flow wrote since the last call."""
        known = self._accounts.get(source)
        if known is None:
            flow = FlowId(source, self._admin.alias)
            topics = CopyTopics.of(flow, separator=self._separator, syncs_on_target=self._syncs_on_target)
            known = self._accounts[source] = self._open_copy_logs(topics), CopyAccount()
        logs, account = known
        logs.read_into(account)
        return account

    def _log_ranges(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, LogRange]:
        if not partitions:
            return {}
        described = self._admin.describe_topics({each.topic for each in partitions})
        existing = [
            each for each in partitions if each.topic in described and each.partition < described[each.topic].partitions
        ]
        starts = self._admin.list_offsets(existing, "earliest")
        ends = self._admin.list_offsets(existing, "latest")
        return {
            each: LogRange(
                start=starts[each], end=max(starts[each], ends[each]), topic_id=described[each.topic].topic_id
            )
            for each in existing
            if each in starts and each in ends
        }

    def _remote(self, source: str, upstream: TopicPartition) -> TopicPartition:
        return TopicPartition(self._policy.format_remote_topic(source, upstream.topic), upstream.partition)

    def _upstream(self, source: str, remote: TopicPartition) -> TopicPartition | None:
        """Return the partition on the source; None for a topic that is not a copy, or is one of another source."""
        if self._policy.topic_source(remote.topic) not in (None, source):
            return None
        topic = self._policy.upstream_topic(remote.topic)
        return None if topic is None else TopicPartition(topic, remote.partition)
