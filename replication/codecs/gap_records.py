"""Gap records of the gaps topic."""

import json
from dataclasses import fields
from typing import Any

from replication.domain.json_documents import read_json
from replication.domain.offsets.gap import Gap

VERSION = 1


def encode_gap(gap: Gap) -> tuple[bytes, bytes]:
    """Key and value; topic ids as hex."""
    key = "\0".join((gap.topic, str(gap.partition), str(gap.detected_ms)))
    return key.encode(), json.dumps({"v": VERSION, **gap_fields(gap)}, separators=(",", ":")).encode()


def decode_gap(value: bytes) -> Gap:
    """Read one gap; ValueError for what is none. Members of later versions are ignored."""
    try:
        parsed = read_json(value)
        members = {field.name: parsed[field.name] for field in fields(Gap)}
        return Gap(**{**members, "topic_id": bytes.fromhex(parsed["topic_id"])})
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a gap record: {value[:200]!r}") from error


def gap_fields(gap: Gap) -> dict[str, Any]:
    """A gap's members as JSON has them; topic ids as hex."""
    return {
        "source": gap.source,
        "target": gap.target,
        "topic": gap.topic,
        "topic_id": gap.topic_id.hex(),
        "partition": gap.partition,
        "cause": gap.cause,
        "from_offset": gap.from_offset,
        "to_offset": gap.to_offset,
        "count": gap.count,
        "detected_ms": gap.detected_ms,
        "policy": gap.policy,
    }
