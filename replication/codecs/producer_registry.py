"""Entries of the producer registry topic: key the producer id in decimal, value JSON."""

import json

from replication.domain.errors import MalformedRecordError
from replication.domain.json_documents import read_json
from replication.domain.produce.producer_registry import RegisteredProducer

VERSION = 1


def encode_producer(producer: RegisteredProducer) -> tuple[bytes, bytes]:
    """Key and value."""
    value = {
        "v": VERSION,
        "source": producer.source,
        "target": producer.target,
        "slot": producer.slot,
        "since_ms": producer.since_ms,
        "generation": producer.generation,
        "fenced": producer.is_fenced,
        "layout": producer.layout,
        "released": producer.released,
        "ended": producer.has_ended,
    }
    return str(producer.producer_id).encode(), json.dumps(value, separators=(",", ":")).encode()


def decode_producer(key: bytes | None, value: bytes | None) -> RegisteredProducer | None:
    """None for a removed entry. Raises MalformedRecordError; unknown fields are accepted."""
    if value is None:
        return None
    try:
        fields = read_json(value)
        return RegisteredProducer(
            producer_id=int(key or b""),
            source=str(fields["source"]),
            target=str(fields["target"]),
            slot=int(fields["slot"]),
            since_ms=int(fields["since_ms"]),
            generation=int(fields.get("generation", 0)),
            is_fenced=bool(fields.get("fenced", False)),
            layout=int(fields.get("layout", 0)),
            released=int(fields.get("released", 0)),
            has_ended=bool(fields.get("ended", False)),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise MalformedRecordError(f"producer registry: the entry {key!r} cannot be read: {error}") from error
