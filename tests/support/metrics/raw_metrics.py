"""Raw metrics records as source tasks write them, and what they come to, counted a second way."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]
START_MS = 1_790_000_000_000
PERIOD_MS = 5_000
TILE_MS = 10_000


def histogram(*latencies_ms: int) -> list[Any]:
    """The wire form of some latencies; 1 ms is bucket 0, 2 ms bucket 4, 4 ms bucket 8 and so on."""
    buckets: defaultdict[str, int] = defaultdict(int)
    for ms in latencies_ms:
        buckets[str(4 * (ms.bit_length() - 1)) if ms else "-1"] += 1
    return [len(latencies_ms), min(latencies_ms), max(latencies_ms), sum(latencies_ms), 0, dict(buckets)]


@dataclass(slots=True, kw_only=True)
class RawTask:
    """One source task slot: numbers its records and moves its clock and its partitions forward."""

    source: str = "a"
    target: str = "b"
    slot: int = 0
    boot: str = "boot-1"
    topic: str = "orders"
    topic_id: str = "00" * 16
    partitions: tuple[int, ...] = (0,)
    now_ms: int = START_MS
    seq: int = 0
    positions: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def task(self) -> str:
        return f"{self.source}/source/{self.slot}"

    def report(self, records: int = 10, *, skip: int = 0, again: int = 0) -> Record:
        """The next period: every partition copied `records`, after leaving out `skip` or repeating `again`."""
        parts = [self._part(index, partition, records, skip - again) for index, partition in enumerate(self.partitions)]
        self.seq += 1
        self.now_ms += PERIOD_MS
        return self.envelope(topics=[[self.topic, f"{self.source}.{self.topic}", self.topic_id]], parts=parts)

    def envelope(self, **fields: Any) -> Record:  # Any: a value of JSON
        return {
            "v": 1,
            "kind": "task",
            "source": self.source,
            "target": self.target,
            "task": self.task,
            "driver": "driver-1",
            "boot": self.boot,
            "generation": 1,
            "seq": self.seq,
            "from_ms": self.now_ms - PERIOD_MS,
            "to_ms": self.now_ms,
            "from_the_future": {"unknown": True},
            **fields,
        }

    def restart(self, boot: str) -> None:
        """A new process: counts its records from 1 again."""
        self.boot = boot
        self.seq = 0

    def _part(self, index: int, partition: int, records: int, shift: int) -> list[Any]:
        begin = self.positions[partition] + shift
        end = begin + records
        self.positions[partition] = end
        latency = histogram(1, 4, 16 + 16 * (index % 2)) if records else None
        return [
            *(0, partition, "replicating" if records else "caught_up", None, begin, end),
            *(0, end + partition, end, records, records * 100, records * 90, 3, latency, histogram(2)),
        ]


@dataclass(slots=True)
class Counted:
    """A tile, counted the plain way."""

    records: int = 0
    bytes: int = 0
    wire_bytes: int = 0
    throttled_ms: int = 0
    covered_offsets: int = 0
    hole_offsets: int = 0
    overlap_offsets: int = 0
    latency_count: int = 0
    latency_sum_ms: int = 0
    latency_max_ms: int = 0
    latency_hist: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))


SeriesTile = tuple[str, str, int, int]  # source, topic, partition, start of the tile


def recount(records: Iterable[Record]) -> dict[SeriesTile, Counted]:
    """Tiles of partitions, topics (partition -1) and flows (topic '') from the records that count, in log order.

    Offsets are counted one by one in sets, as the arithmetic under test does not.
    """
    tiles: defaultdict[SeriesTile, Counted] = defaultdict(Counted)
    seen: defaultdict[tuple[str, str, int, str], set[int]] = defaultdict(set)
    for record in records:
        tile_ms = (record["to_ms"] - 1) // TILE_MS * TILE_MS
        for part in record["parts"]:
            topic, _, topic_id = record["topics"][part[0]]
            source, partition = record["source"], part[1]
            own = seen[source, topic, partition, topic_id]
            known_to = max(own, default=part[4] - 1) + 1
            new = set(range(part[4], part[5]))
            missed = set(range(known_to, part[4]))
            levels = ((topic, partition), (topic, -1), ("", -1))
            for level_topic, level_partition in levels:
                tile = tiles[source, level_topic, level_partition, tile_ms]
                tile.overlap_offsets += len([offset for offset in new if offset < known_to])
                tile.hole_offsets += len(missed)
                tile.covered_offsets += len(new)
                _add(tile, part)
            own |= new
    return dict(tiles)


def encode(record: Record) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()


def _add(tile: Counted, part: list[Any]) -> None:
    tile.records += part[9]
    tile.bytes += part[10]
    tile.wire_bytes += part[11]
    tile.throttled_ms += part[12]
    if part[13]:
        tile.latency_count += part[13][0]
        tile.latency_sum_ms += part[13][3]
        tile.latency_max_ms = max(tile.latency_max_ms, part[13][2])
        for bucket, count in part[13][5].items():
            tile.latency_hist[bucket] += count
