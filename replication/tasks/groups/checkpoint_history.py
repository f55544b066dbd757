"""The newest checkpoint of each group and remote partition, as the checkpoints topic has them."""

from collections.abc import Collection, Iterable, Mapping

from replication.codecs.mm2_records import decode_checkpoint
from replication.domain.errors import MalformedRecordError
from replication.domain.groups.judgement.group_partition import CheckpointPlace
from replication.domain.identifiers import TopicPartition
from replication.ports.record_log import RecordLog

GroupCheckpoints = dict[TopicPartition, CheckpointPlace]  # by remote partition


class CheckpointHistory:
    """Blocking; one thread at a time. Raises as RecordLog does."""

    def __init__(self, log: RecordLog, topic: str) -> None:
        self._log = log
        self._topic = topic
        self._places: dict[str, GroupCheckpoints] = {}
        self._metadata: dict[tuple[str, TopicPartition], str] = {}
        self._seen: set[str] = set()  # groups of the topic, as far as it was read or written here

    def read(self, groups: Collection[str]) -> None:
        """Read the whole topic for these groups; a record that is no checkpoint is skipped."""
        wanted = {name: GroupCheckpoints() for name in groups}
        remotes: dict[TopicPartition, TopicPartition] = {}  # one object per partition
        self._metadata.clear()
        for record in self._log.read_to_end(self._topic, isolation="read_committed"):
            try:
                found = decode_checkpoint(record.key, record.value)
            except MalformedRecordError:
                continue
            self._seen.add(found.group)
            places = wanted.get(found.group)
            if places is not None:
                remote = remotes.setdefault(found.remote, found.remote)
                places[remote] = CheckpointPlace(
                    upstream=found.upstream_offset,
                    downstream=found.downstream_offset,
                    written_ms=record.timestamp_ms,
                )
                self._note_metadata(found.group, remote, found.metadata)
        self._places |= wanted

    def lacks(self, groups: Collection[str]) -> bool:
        """Return True when the history of one of these groups has not been read."""
        return any(name not in self._places for name in groups)

    def begin(self, groups: Collection[str]) -> None:
        """Groups that the topic does not have begin without history; it is read again for others."""
        new = [name for name in groups if name not in self._places]
        if any(name in self._seen for name in new):
            self.read(groups)
        else:
            self._places |= {name: GroupCheckpoints() for name in new}

    def keep(self, groups: Collection[str]) -> None:
        """Forget the places of all other groups."""
        kept = frozenset(groups)
        self._places = {name: places for name, places in self._places.items() if name in kept}

    def of(self, group: str) -> Mapping[TopicPartition, CheckpointPlace]:
        return self._places.get(group, {})

    def metadata(self, group: str, remote: TopicPartition) -> str:
        """Return the metadata that a checkpoint had when the topic was read."""
        return self._metadata.get((group, remote), "")

    def add(self, written: Iterable[tuple[str, TopicPartition, CheckpointPlace]]) -> None:
        """Add checkpoints that have been written now."""
        for group, remote, place in written:
            self._places.setdefault(group, {})[remote] = place
            self._seen.add(group)

    def _note_metadata(self, group: str, remote: TopicPartition, metadata: str) -> None:
        if metadata:
            self._metadata[group, remote] = metadata
        else:
            self._metadata.pop((group, remote), None)
