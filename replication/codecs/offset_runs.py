"""Offset-run segments as bytes: version, topic id, then zig-zag varint deltas per run."""

from replication.domain.offsets.offset_run import OffsetRun, RunSegment

VERSION = 1
_SEPARATOR = "\0"


def encode_key(segment: RunSegment) -> bytes:
    """Return the key of a segment; a re-created topic has offsets again, so the key names the topic's id."""
    place = f"{segment.first_upstream}.{segment.topic_id.hex()}"
    return _SEPARATOR.join((segment.topic, str(segment.partition), place)).encode()


def key_prefix(topic: str, partition: int) -> bytes:
    """Return the prefix of the keys of all segments of a partition."""
    return _SEPARATOR.join((topic, str(partition), "")).encode()


def encode_value(segment: RunSegment) -> bytes:
    out = bytearray([VERSION])
    out += segment.topic_id
    upstream = downstream = 0
    for run in segment.runs:
        _append_varint(out, run.upstream - upstream)
        _append_varint(out, run.downstream - downstream)
        _append_varint(out, run.length)
        upstream, downstream = run.upstream_end, run.downstream_end
    return bytes(out)


def decode(key: bytes, value: bytes) -> RunSegment:
    """Read one segment; ValueError says what is wrong with it."""
    try:
        topic, partition, _first = key.decode().split(_SEPARATOR)
        number = int(partition)
    except ValueError as error:
        raise ValueError(f"not an offset-run key: {key!r}") from error
    if len(value) < 17 or value[0] != VERSION:
        raise ValueError(f"offset runs of {topic}-{partition}: unknown version or too short ({len(value)} bytes)")
    runs: list[OffsetRun] = []
    at, upstream, downstream = 17, 0, 0
    while at < len(value):
        upstream_delta, at = _read_varint(value, at)
        downstream_delta, at = _read_varint(value, at)
        length, at = _read_varint(value, at)
        run = OffsetRun(upstream + upstream_delta, downstream + downstream_delta, length)
        runs.append(run)
        upstream, downstream = run.upstream_end, run.downstream_end
    if not runs:
        raise ValueError(f"offset runs of {topic}-{partition}: no run in the segment")
    return RunSegment(topic, number, value[1:17], tuple(runs))


def _append_varint(out: bytearray, number: int) -> None:
    unsigned = (number << 1) ^ (number >> 63)
    while unsigned >= 0x80:
        out.append(unsigned & 0x7F | 0x80)
        unsigned >>= 7
    out.append(unsigned)


def _read_varint(value: bytes, at: int) -> tuple[int, int]:
    unsigned, shift = 0, 0
    while True:
        if at >= len(value):
            raise ValueError("offset runs end inside a number")
        byte = value[at]
        at += 1
        unsigned |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (unsigned >> 1) ^ -(unsigned & 1), at
        shift += 7
