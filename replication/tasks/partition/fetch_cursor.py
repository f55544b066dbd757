"""The fetch cursor of a partition: where it is read, from which broker, and the ends of the source's log."""

from replication.domain.identifiers import TopicPartition
from replication.domain.offsets.leader_epochs import Epochs, cut_epochs, read_epoch
from replication.domain.offsets.positions import Position
from replication.ports.fetch.batch_fetcher import FetchPosition


class FetchCursor:
    """Runs ahead of the position that is done by what is queued."""

    __slots__ = (
        "epoch",
        "epochs",
        "high_watermark",
        "is_end_lost",
        "is_fetching",
        "is_held_back",
        "is_merging",
        "is_source_silent",
        "log_end",
        "log_start",
        "most_bytes",
        "near_replica",
        "offset",
        "read_node",
        "source_leader",
        "topic_id",
        "upstream",
    )

    def __init__(self, upstream: TopicPartition, topic_id: bytes, position: Position) -> None:
        self.upstream = upstream
        self.topic_id = topic_id  # of the topic that is fetched
        self.offset = position.next_offset
        self.epoch = position.leader_epoch  # of the last batch
        self.epochs = position.epochs  # the last ones that were read
        self.source_leader = -1
        self.near_replica = -1  # a follower in our rack that the leader named to read from (KIP-392)
        self.read_node = -1  # the broker to fetch from
        self.is_fetching = False  # asked of the source reader
        self.is_merging = False  # small batches of one answer are merged
        self.is_held_back = False  # too much is unacknowledged
        self.most_bytes: int | None = None  # of one answer, by the throttles of the partition and its topic
        self.log_start: int | None = None
        self.log_end: int | None = None  # of what may be read: the last stable offset for read_committed
        self.high_watermark: int | None = None
        self.is_end_lost = False  # the broker failed after it had named the end: the log may have grown
        self.is_source_silent = False  # the broker owes an answer for so long that the log may have grown

    @property
    def is_end_known(self) -> bool:
        """True while the broker says where the log ends; `log_end` alone is the last end that it named."""
        return self.log_end is not None and not self.is_end_lost and not self.is_source_silent

    @property
    def place(self) -> FetchPosition:
        """The request for the next bytes."""
        upstream = self.upstream
        return FetchPosition(
            upstream.topic, self.topic_id, upstream.partition, self.offset, self.epoch, self.most_bytes
        )

    def advance(self, next_offset: int, epoch: int) -> None:
        """Everything before this offset is queued."""
        if epoch != self.epoch:
            self.epochs = read_epoch(self.epochs, epoch, min(self.offset, next_offset))
        self.offset = next_offset
        self.epoch = epoch

    def move(self, topic_id: bytes, offset: int, epoch: int = -1, epochs: Epochs | None = None) -> None:
        """Continue at another place; `epochs` are those read before it, by default those known before the offset."""
        known = self.epochs if topic_id == self.topic_id else ()
        self.epochs = cut_epochs(known, offset) if epochs is None else epochs
        self.topic_id = topic_id
        self.offset = offset
        self.epoch = epoch

    def set_leader(self, leader: int) -> None:
        """Read from this leader, which may name a follower again."""
        if leader != self.source_leader:
            self.source_leader = leader
            self.read_from_replica(-1)

    def read_from_replica(self, replica: int) -> None:
        """Read from this follower, or from the leader (-1)."""
        self.near_replica = replica
        self.read_node = replica if replica >= 0 else self.source_leader

    def start_fetching(self) -> None:
        """The source reader is asked for the partition."""
        self.is_fetching = True

    def stop_fetching(self) -> None:
        """The source reader is not asked any more."""
        self.is_fetching = False

    def hold_back(self) -> None:
        """Read again when something is acknowledged."""
        self.is_held_back = True

    def stop_holding_back(self) -> None:
        """Reading does not depend on acknowledgements any more."""
        self.is_held_back = False

    def limit(self, most_bytes: int | None) -> None:
        """Ask for so many bytes at most from the next request on; None: no limit."""
        self.most_bytes = most_bytes

    def set_merging(self, is_merging: bool) -> None:
        """Choose whether the small batches of the next answers are merged."""
        self.is_merging = is_merging

    def note_ends(self, log_start: int, log_end: int, high_watermark: int) -> None:
        """The ends of the log, as a fetch answer names them; a follower may not have all of it yet."""
        is_near = self.near_replica >= 0
        self.is_end_lost = False
        self.log_start = log_start
        self.log_end = max(log_end, self.log_end or 0) if is_near else log_end
        self.high_watermark = max(high_watermark, self.high_watermark or 0) if is_near else high_watermark

    def note_listed_end(self, log_end: int) -> None:
        """The log's end by ListOffsets; an answer that its leader gave meanwhile may be newer."""
        self.is_end_lost = False
        if self.near_replica >= 0 or not self.is_fetching or log_end > (self.log_end or 0):
            self.log_end = log_end

    def lose_end(self) -> None:
        """The broker fails: the log may grow unseen until an answer names its end."""
        self.is_end_lost = True

    def note_silence(self, is_silent: bool) -> None:
        """The broker owes an answer for long, or does not any more."""
        self.is_source_silent = is_silent

    def note_listed_start(self, log_start: int) -> None:
        """The log's start by ListOffsets."""
        self.log_start = log_start
