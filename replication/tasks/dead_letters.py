"""Records that cannot be copied, as they are kept in the flow's dead letter topic."""

from replication.domain.identifiers import TopicPartition
from replication.ports.target_writer import OutgoingRecord


def dead_letter(record: OutgoingRecord, upstream: TopicPartition, offset: int, reason: str) -> OutgoingRecord:
    """The record as it was, with the headers Kafka Connect's `DeadLetterQueueReporter` adds."""
    about = {
        "__connect.errors.topic": upstream.topic,
        "__connect.errors.partition": str(upstream.partition),
        "__connect.errors.offset": str(offset),
        "__connect.errors.connector.name": "MirrorSourceConnector",
        "__connect.errors.exception.message": reason,
    }
    headers = [*record.headers, *((name, value.encode()) for name, value in about.items())]
    return OutgoingRecord(record.key, record.value, headers)
