"""Raw metrics of many partitions, as drivers write them, for the benchmarks of the metrics process."""

import json
import random
from collections.abc import Iterator
from typing import Any

PARTS_PER_TASK = 200
PARTITIONS_PER_TOPIC = 10
_rng = random.Random(11)


def histogram() -> list[Any]:
    """The latencies of a busy partition: eight buckets."""
    buckets = {str(_rng.randint(0, 20)): _rng.randint(1, 50) for _ in range(8)}
    count = sum(buckets.values())
    return [count, 1, 40, count * 9, 0, buckets]


def records(partitions: int, period: int, to_ms: int, period_ms: int) -> Iterator[tuple[str, bytes]]:
    """One period of all partitions: key and value per task."""
    histograms = [histogram() for _ in range(50)]
    for slot in range(max(1, partitions // PARTS_PER_TASK)):
        names = range(PARTS_PER_TASK // PARTITIONS_PER_TOPIC)
        first, following = period * 100, (period + 1) * 100
        parts = [
            [
                *(n // PARTITIONS_PER_TOPIC, n % PARTITIONS_PER_TOPIC, "replicating", None, first, following),
                *(0, following + 5, following, 100, 10_000, 10_000, 0),
                *(histograms[n % 50], histograms[(n + 7) % 50]),
            ]
            for n in range(min(PARTS_PER_TASK, partitions))
        ]
        task = f"a/source/{slot}"
        record = {
            "v": 1,
            "kind": "task",
            "source": "a",
            "target": "b",
            "task": task,
            "driver": "bench",
            "boot": "bench",
            "generation": 1,
            "seq": period + 1,
            "from_ms": to_ms - period_ms,
            "to_ms": to_ms,
            "topics": [[f"topic-{slot}-{n}", f"a.topic-{slot}-{n}", "00" * 16] for n in names],
            "parts": parts,
        }
        yield task, json.dumps(record, separators=(",", ":")).encode()
