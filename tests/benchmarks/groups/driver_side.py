"""The groups translated by a whole driver: its control worker has the checkpoint task, a planner and heartbeats."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from confluent_kafka import KafkaException

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from srm_cli.machine.processes import end
from tests.benchmarks.groups.moved import EMIT_S, Moved, moves
from tests.benchmarks.groups.moving import (
    GROUPS,
    PARTITIONS,
    TOPIC_NAMES,
    CheckpointFollower,
    MovingGroups,
    seconds_until,
)
from tests.benchmarks.groups.sampling import DriverWatch, Sampler, heartbeats_late_s, late_s, tree_mb
from tests.support.drivers.whole_driver import WholeDriver
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import end_offsets
from tests.support.servers.redis import start_redis

PLAN_S, BEAT_S = 5, 1
LIMIT_S = 240.0
IDLE = DesiredFlow(
    source="east",
    topics=NamePatterns(allow=("bench-groups-.*",)),
    tasks_max=1,
    connectors=ConnectorSettings(
        source={"refresh.topics.interval.seconds": str(PLAN_S)},
        checkpoint={
            "emit.checkpoints.interval.seconds": str(EMIT_S),
            "refresh.groups.interval.seconds": str(PLAN_S),
            "sync.group.offsets.enabled": "true",
            "sync.group.offsets.interval.seconds": str(EMIT_S),
        },
        heartbeat={"emit.heartbeats.interval.seconds": str(BEAT_S)},
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The figures of the driver; rounds include group offset sync of all groups."""

    moved: Moved
    round_s: float
    requests: int
    idle_mb: float
    plans_late_s: float
    heartbeats_late_s: float


def measure(clusters: TwoClusters, groups: MovingGroups, folder: Path) -> Measured:
    """Copy the topics, and move the groups after a first round over all of them."""
    target = clusters.target.bootstrap
    with _driver(folder) as driver:
        driver.publish(clusters, IDLE)
        driver.start("control")
        driver.start("data")
        last = f"east.{TOPIC_NAMES[-1]}"
        seconds_until(lambda: is_copied(target, last, groups.end), LIMIT_S, "the topics are copied")
        time.sleep(2 * PLAN_S)
        idle_mb = tree_mb(driver.processes["control"].pid)
        groups.move()
        driver.publish(clusters, replace(IDLE, groups=NamePatterns(allow=("bench-.*",))))
        watch = DriverWatch(driver.redis.url)
        seconds_until(lambda: watch.has_round_over(GROUPS), LIMIT_S, "the first round of all groups")
        time.sleep(EMIT_S)
        watch, since_ms = DriverWatch(driver.redis.url), time.time_ns() // 1_000_000
        sampler = Sampler(driver.processes["control"].pid, watch.look)
        with closing(CheckpointFollower(target, "east.checkpoints.internal")) as follower:
            moved = moves("the driver", groups, follower, sampler)
        beats_late_s = heartbeats_late_s(target, since_ms, BEAT_S)
    print(f"groups: rounds {sorted(watch.rounds.items())}", flush=True)
    return Measured(
        moved=moved,
        round_s=max(each.took_ms for each in watch.rounds.values()) / 1_000,
        requests=max(each.requests for each in watch.rounds.values()),
        idle_mb=idle_mb,
        plans_late_s=late_s(sorted(watch.plan_runs_ms), PLAN_S),
        heartbeats_late_s=beats_late_s,
    )


@contextmanager
def _driver(folder: Path) -> Iterator[WholeDriver]:
    home = folder / "driver"
    home.mkdir()
    redis = start_redis(home / "redis")
    driver = WholeDriver(home, redis)
    try:
        yield driver
    except Exception:
        print(driver.logs(), flush=True)
        raise
    finally:
        end(list(driver.processes.values()), grace_seconds=15.0)
        redis.stop()


def is_copied(bootstrap: str, topic: str, records: int) -> bool:
    """Return True when each partition of the copy has so many records."""
    try:
        return min(end_offsets(bootstrap, topic, PARTITIONS)) >= records
    except KafkaException:
        return False
