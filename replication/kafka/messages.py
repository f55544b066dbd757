"""Messages of confluent-kafka as records."""

from confluent_kafka import Message

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
