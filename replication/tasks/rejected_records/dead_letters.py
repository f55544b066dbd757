"""Dead letters: records that cannot be copied, as the flow's dead letter topic keeps them."""

from collections.abc import Sequence

from replication.domain.errors import FatalError
from replication.domain.identifiers import TopicPartition
from replication.ports.produce.record_appender import OutgoingRecord, RecordAppender

OMITTED = "__srm.errors.left.out"
CONTENT_OMITTED = (OMITTED, b"key, value, headers")
_ABOUT = ("__connect.errors.", OMITTED)


def dead_letter(record: OutgoingRecord, upstream: TopicPartition, offset: int, reason: str) -> OutgoingRecord:
    """Return the record as it was, with the headers Kafka Connect's `DeadLetterQueueReporter` adds."""
    about = {
        "__connect.errors.topic": upstream.topic,
        "__connect.errors.partition": str(upstream.partition),
        "__connect.errors.offset": str(offset),
        "__connect.errors.connector.name": "MirrorSourceConnector",
        "__connect.errors.exception.message": reason,
    }
    headers = [*record.headers, *((name, value.encode()) for name, value in about.items())]
    return OutgoingRecord(record.key, record.value, headers)


async def write_dead_letters(records: RecordAppender, topic: str, letters: Sequence[OutgoingRecord]) -> None:
    """Write them, with less in them where the topic rejects them for good: too large for one topic is for the other.

    Raises ReplicationError when not even that is possible now; those before the failed one are then there already.
    """
    try:
        await records.append(topic, letters)
    except FatalError:
        for letter in letters:
            await _write_what_fits(records, topic, letter)


async def _write_what_fits(records: RecordAppender, topic: str, letter: OutgoingRecord) -> None:
    about = [(name, value) for name, value in letter.headers if name.startswith(_ABOUT)]
    smaller = (
        letter,
        OutgoingRecord(letter.key, None, [*letter.headers, (OMITTED, b"value")]),
        OutgoingRecord(None, None, [*about, CONTENT_OMITTED]),
    )
    for attempt in smaller[:-1]:
        try:
            await records.append(topic, [attempt])
        except FatalError:
            continue
        return
    await records.append(topic, smaller[-1:])
