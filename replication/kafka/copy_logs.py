"""CopyLogs on real brokers."""

from collections.abc import Iterable

import structlog
from confluent_kafka import Message

from replication.codecs.copy_records import note_gap, note_position, note_run, note_sync
from replication.domain.batches.record import Record
from replication.domain.errors import ReplicationError
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.names.copy_topics import CopyTopics
from replication.domain.plan.slot import ClusterClient
from replication.kafka.messages import record_of
from replication.kafka.topic_tail import TopicTail

log = structlog.get_logger(__name__)


class KafkaCopyLogs:
    """The `CopyLogs` of one flow; connects on the first call. Without a source, syncs on it are not read."""

    def __init__(self, source: ClusterClient | None, target: ClusterClient, topics: CopyTopics) -> None:
        on_target = (topics.positions, topics.runs, topics.gaps, *((topics.syncs,) if topics.syncs_on_target else ()))
        self._topics = topics
        self._target = TopicTail(target, *on_target)
        self._source = None if topics.syncs_on_target or source is None else TopicTail(source, topics.syncs)
        self._syncs_failed = False

    def read_into(self, account: CopyAccount) -> int:
        count = self._note(self._target.new_records(), account)
        return count + self._note_syncs_of_source(account)

    def close(self) -> None:
        self._target.close()
        if self._source is not None:
            self._source.close()

    def _note_syncs_of_source(self, account: CopyAccount) -> int:
        """Runs say more than syncs do: a source that does not answer, or shows no syncs, holds up nothing."""
        if self._source is None:
            return 0
        try:
            count = self._note(self._source.new_records(), account)
        except ReplicationError as error:
            if not self._syncs_failed:
                log.warning("offset syncs are not read", topic=self._topics.syncs, error=error.text)
            self._syncs_failed = True
            return 0
        self._syncs_failed = False
        return count

    def _note(self, messages: Iterable[Message], account: CopyAccount) -> int:
        """Note what was read in the order it was written; of runs and positions the newest version of each key."""
        newest: dict[tuple[str | None, str | bytes | None], Message] = {}
        count = 0
        try:
            for message in messages:
                count += 1
                if message.topic() == self._topics.syncs:
                    note_sync(record_of(message), account)
                    continue
                key = message.topic(), message.key()
                newest.pop(key, None)
                newest[key] = message
        finally:  # what was read is not read again
            for message in newest.values():
                self._note_newest(message.topic(), record_of(message), account)
        return count

    def _note_newest(self, topic: str | None, record: Record, account: CopyAccount) -> None:
        if topic == self._topics.runs:
            note_run(record, account)
        elif topic == self._topics.gaps:
            note_gap(record, account)
        else:
            note_position(record, self._topics.source, account)
