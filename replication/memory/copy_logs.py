"""CopyLogs in memory."""

from replication.codecs.copy_records import note_gap, note_position, note_run, note_sync
from replication.domain.batches.record import Record
from replication.domain.errors import ReplicationError
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.names.copy_topics import CopyTopics
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryRecordLog


class MemoryCopyLogs:
    """The topics of one flow on clusters in memory; the same contract as the real adapter."""

    def __init__(self, source: MemoryCluster | None, target: MemoryCluster, topics: CopyTopics) -> None:
        self._target = MemoryRecordLog(target)
        holder = target if topics.syncs_on_target else source
        self._syncs = None if holder is None else MemoryRecordLog(holder)
        self._topics = topics
        self._next: dict[tuple[str, int], int] = {}

    def read_into(self, account: CopyAccount) -> int:
        topics = self._topics
        count = sum(self._note(self._target, topic, account) for topic in (topics.positions, topics.runs, topics.gaps))
        if self._syncs is None:
            return count
        try:
            return count + self._note(self._syncs, topics.syncs, account)
        except ReplicationError:
            if topics.syncs_on_target:
                raise
            return count

    def close(self) -> None:
        """Nothing is open."""

    def _note(self, log: MemoryRecordLog, topic: str, account: CopyAccount) -> int:
        count = 0
        for each in log.read_to_end(topic, isolation="read_committed"):
            place = topic, each.partition
            if each.offset < self._next.get(place, 0):
                continue
            self._next[place] = each.offset + 1
            count += 1
            record = Record(each.offset, each.timestamp_ms, each.key, each.value, each.headers)
            if topic == self._topics.runs:
                note_run(record, account)
            elif topic == self._topics.positions:
                note_position(record, self._topics.source, account)
            elif topic == self._topics.gaps:
                note_gap(record, account)
            else:
                note_sync(record, account)
        return count
