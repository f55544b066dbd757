"""Computes the bytes in flight that fill a link with a long round trip: bandwidth times delay."""

from dataclasses import dataclass

MIB = 1024 * 1024
PARTITION_BYTES_PER_SECOND = 40 * MIB  # what one partition shall reach on any link
FLOW_BYTES_PER_SECOND = 160 * MIB
REQUEST_EVERY_MS = 10  # on a long link a new produce request may go out this often
CONNECTION_EVERY_MS = 50  # of the round trip: one connection's window fills no link that long
MOST_CONNECTIONS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The amounts that follow the measured round trips; the defaults fit links below ten milliseconds."""

    fetch_max_bytes: int = 8 * MIB
    partition_max_bytes: int = MIB
    hold_bytes: int = 4 * MIB  # a partition with that much unacknowledged is not in the next fetch
    requests_in_flight: int = 5  # per connection; a partition never has more than five batches there
    connections: int = 1  # per target broker; a partition's batches keep to one of them


def tune(
    source_round_trip_ms: float | None, target_round_trip_ms: float | None, *, connections: int = 1, waits: bool = False
) -> Tuning:
    """From the smallest round trips seen lately. Unknown ones count as short.

    `connections` are there already; `waits` says that with them the target's answers keep the flow from being faster: a
    broker works through one connection's requests one by one, however long its replicas take.
    """
    source_ms, target_ms = source_round_trip_ms or 0.0, target_round_trip_ms or 0.0
    plain = Tuning()
    return Tuning(
        fetch_max_bytes=_between(plain.fetch_max_bytes, FLOW_BYTES_PER_SECOND, source_ms, 32 * MIB),
        partition_max_bytes=_between(plain.partition_max_bytes, PARTITION_BYTES_PER_SECOND, source_ms, 8 * MIB),
        hold_bytes=_between(plain.hold_bytes, PARTITION_BYTES_PER_SECOND, source_ms + target_ms, 16 * MIB),
        requests_in_flight=max(plain.requests_in_flight, min(20, int(target_ms / REQUEST_EVERY_MS))),
        connections=min(MOST_CONNECTIONS, max(connections + waits, 1 + int(target_ms / CONNECTION_EVERY_MS))),
    )


def _between(least: int, bytes_per_second: int, round_trip_ms: float, most: int) -> int:
    return max(least, min(most, int(bytes_per_second * round_trip_ms / 1000)))
