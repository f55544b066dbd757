"""Offset-run segments as bytes: version, topic id, then zig-zag varint deltas per run."""

from replication.domain.offsets.offset_run import OffsetRun, Runs, RunSegment

VERSION = 1
_SEPARATOR = "\0"


def encode_key(segment: RunSegment, writer: str = "") -> bytes:
    """Return the key of a segment.

    A re-created topic has offsets again, so the key names the topic's id. Offsets may be copied again to another place,
    and a writer that was frozen may wake after another took over: neither may replace what the other has written.
    """
    place = f"{segment.first_upstream}.{segment.topic_id.hex()}"
    if writer:
        place += f".{segment.runs[0].downstream}.{writer}"
    return _SEPARATOR.join((segment.topic, str(segment.partition), place)).encode()


def key_prefix(topic: str, partition: int) -> bytes:
    """Return the prefix of the keys of all segments of a partition."""
    return _SEPARATOR.join((topic, str(partition), "")).encode()


def encode_value(segment: RunSegment) -> bytes:
    return bytes([VERSION]) + segment.topic_id + encode_runs(segment.runs)


def encode_runs(runs: Runs) -> bytes:
    """Return three numbers per run, as differences from the run before."""
    out = bytearray()
    upstream = downstream = 0
    for run in runs:
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
    runs = decode_runs(value, 17)
    if not runs:
        raise ValueError(f"offset runs of {topic}-{partition}: no run in the segment")
    return RunSegment(topic, number, value[1:17], runs)


def decode_runs(value: bytes, at: int = 0) -> Runs:
    """Read the runs from this place on; ValueError when they end inside a number."""
    numbers = _numbers(value[at:])
    if len(numbers) % 3:
        raise ValueError("offset runs end inside a run")
    runs: list[OffsetRun] = []
    upstream = downstream = 0
    each = iter(numbers)
    for upstream_delta, downstream_delta, length in zip(each, each, each, strict=True):
        upstream += upstream_delta
        downstream += downstream_delta
        runs.append(OffsetRun(upstream, downstream, length))
        upstream += length
        downstream += length
    return tuple(runs)


def _append_varint(out: bytearray, number: int) -> None:
    unsigned = (number << 1) ^ (number >> 63)
    while unsigned >= 0x80:
        out.append(unsigned & 0x7F | 0x80)
        unsigned >>= 7
    out.append(unsigned)


def _numbers(value: bytes) -> list[int]:
    """Read zig-zag varints in one pass: a flow's runs are read by the million."""
    numbers: list[int] = []
    append = numbers.append
    unsigned = shift = 0
    for byte in value:
        if byte >= 0x80:
            unsigned |= (byte & 0x7F) << shift
            shift += 7
            continue
        if shift:
            byte = unsigned | byte << shift
            unsigned = shift = 0
        append((byte >> 1) ^ -(byte & 1))
    if shift:
        raise ValueError("offset runs end inside a number")
    return numbers
