"""The topics of the demonstration with the rate of each, and the groups that read them. Pure."""

import math
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoTopic:
    """`mean_per_second` swings by `swing` (0 to 1) with the period `period_seconds`, so that charts have a shape."""

    name: str
    cluster: str
    partitions: int
    mean_per_second: float
    value_bytes: int
    has_keys: bool = True
    tombstone_ratio: float = 0.0
    swing: float = 0.3
    period_seconds: float = 180.0
    configs: dict[str, str] = field(default_factory=dict)

    def rate_at(self, seconds: float) -> float:
        return self.mean_per_second * (1 + self.swing * math.sin(2 * math.pi * seconds / self.period_seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoGroup:
    """A consumer group with one member, which reads for some time and then rests; without rests it reads always."""

    name: str
    cluster: str
    topics: tuple[str, ...]
    reads_seconds: float = 0.0
    rests_seconds: float = 0.0


# The brokers compress, so that each topic shows another codec, independent of the producer.
TOPICS = (
    DemoTopic(
        name="orders",
        cluster="us-east",
        partitions=6,
        mean_per_second=400,
        value_bytes=620,
        configs={"compression.type": "lz4"},
    ),
    DemoTopic(
        name="payments",
        cluster="us-east",
        partitions=4,
        mean_per_second=150,
        value_bytes=340,
        period_seconds=240,
        configs={"compression.type": "zstd"},
    ),
    DemoTopic(
        name="clicks",
        cluster="us-east",
        partitions=8,
        mean_per_second=1200,
        value_bytes=180,
        has_keys=False,
        swing=0.5,
        period_seconds=90,
        configs={"compression.type": "snappy"},
    ),
    DemoTopic(
        name="inventory",
        cluster="us-east",
        partitions=3,
        mean_per_second=40,
        value_bytes=120,
        tombstone_ratio=0.05,
        configs={"compression.type": "uncompressed", "cleanup.policy": "compact"},
    ),
    DemoTopic(
        name="shipments",
        cluster="eu-central",
        partitions=4,
        mean_per_second=180,
        value_bytes=420,
        period_seconds=150,
        configs={"compression.type": "gzip"},
    ),
    DemoTopic(name="returns", cluster="eu-central", partitions=2, mean_per_second=15, value_bytes=260),
)

GROUPS = (
    DemoGroup(name="billing", cluster="us-east", topics=("orders", "payments")),
    DemoGroup(
        name="reports", cluster="us-east", topics=("orders", "inventory"), reads_seconds=30.0, rests_seconds=90.0
    ),
)

# An hour of everything is more than a look at the demonstration needs.
RETENTION = {"retention.ms": "3600000", "segment.ms": "600000"}
