"""Messages of confluent-kafka as records."""

from confluent_kafka import KafkaError, Message

from replication.domain.batches.record import Record


def record_of(message: Message) -> Record:
    headers = message.headers()
    pairs = headers if isinstance(headers, list) else []
    return Record(
        offset=message.offset() or 0,
        timestamp=message.timestamp()[1],
        key=bytes_of(message.key()),
        value=bytes_of(message.value()),
        headers=[(name, bytes_of(value)) for name, value in pairs],
    )


def bytes_of(data: str | bytes | None) -> bytes | None:
    return data.encode() if isinstance(data, str) else data


def is_group_refusal(message: Message) -> bool:
    """Return True if it only says that the principal has no right on the consumer's group.

    librdkafka requires a `group.id` and looks for its coordinator, also for a consumer that never joins. Reading
    assigned partitions needs no right on the group.
    """
    error = message.error()
    return error is not None and error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED
