"""Positions: how far a partition has been copied, as Kafka Connect stores it plus what we add in record headers."""

from dataclasses import dataclass

from replication.domain.offsets.leader_epochs import Epochs
from replication.domain.offsets.offset_run import Runs

NO_TOPIC_ID = bytes(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The next source offset to fetch and what proves that it belongs to this topic."""

    next_offset: int
    topic_id: bytes = NO_TOPIC_ID  # zero where MirrorMaker 2 wrote the position
    leader_epoch: int = -1
    downstream_next: int | None = None
    generation: int = 0
    remote_topic: str = ""  # the topic that `downstream_next` belongs to; empty where an older release wrote it
    remote_topic_id: bytes = NO_TOPIC_ID
    truncated_at: int | None = None  # the remote log lost its end from here on, and the gap is not written yet
    reset_ids: tuple[str, ...] = ()  # resets carried out on this partition, newest last
    epochs: Epochs = ()  # the last leader epochs that were read, oldest first
    runs: Runs = ()  # the newest ones, which the runs topic may not have yet; the last ends at `downstream_next`


def belongs_to(position: Position, topic_id: bytes) -> bool:
    """False when the topic under this name is another one than the position was written for."""
    unknown = position.topic_id == NO_TOPIC_ID or topic_id == NO_TOPIC_ID
    return unknown or position.topic_id == topic_id
