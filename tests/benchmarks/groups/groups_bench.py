"""Checkpoint rounds of ten thousand groups on ten partitions each, by a whole driver and by MirrorMaker 2."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from confluent_kafka.admin import NewTopic
from redis import Redis

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.groups.group_summary import GroupsSummary, summary_from_bytes
from replication.domain.identifiers import TaskId
from replication.worker.state import keys
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.processes import end
from tests.benchmarks.groups.moving import (
    GROUPS,
    PARTITIONS,
    RECORDS,
    TOPIC_NAMES,
    CheckpointFollower,
    MovingGroups,
    seconds_until,
)
from tests.benchmarks.groups.sampling import Sampler, heartbeats_late_s, tree_mb
from tests.benchmarks.report import Result
from tests.support.drivers.whole_driver import TARGET, WholeDriver
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin, end_offsets, produce
from tests.support.kafka.mirror_maker import mirror_maker
from tests.support.servers.redis import start_redis

ROUNDS = 3
EMIT_S, PLAN_S, BEAT_S = 20, 5, 1
LIMIT_S = 240.0
PLACES = GROUPS * PARTITIONS
NAME = f"{GROUPS:,} groups x {PARTITIONS} partitions, all moving"
CHECKPOINTS = TaskId("east", "checkpoint", 0)
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
        },
        heartbeat={"emit.heartbeats.interval.seconds": str(BEAT_S)},
    ),
)


def measure_groups(source: LocalCluster, target: LocalCluster, mirror_jars: Path, folder: Path) -> Iterator[Result]:
    """Ours first; then MirrorMaker with topics, checkpoints and offset syncs that are its own."""
    clusters = TwoClusters(source=source, target=target)
    _fill(source.bootstrap)
    groups = MovingGroups(source.bootstrap)
    try:
        yield from _ours(clusters, groups, folder)
        yield from _theirs(clusters, groups, mirror_jars, folder)
    finally:
        groups.close()


def _fill(bootstrap: str) -> None:
    wanted = [NewTopic(name, PARTITIONS, 1) for name in TOPIC_NAMES]
    for future in admin(bootstrap).create_topics(wanted).values():
        future.result(60)
    for name in TOPIC_NAMES:
        produce(bootstrap, name, ({"value": b"v", "partition": n % PARTITIONS} for n in range(RECORDS * PARTITIONS)))


def _ours(clusters: TwoClusters, groups: MovingGroups, folder: Path) -> Iterator[Result]:
    with _driver(folder) as driver:
        driver.publish(clusters, IDLE)
        driver.start("control")
        driver.start("data")
        last = f"east.{TOPIC_NAMES[-1]}"
        seconds_until(lambda: _copied(clusters.target.bootstrap, last), LIMIT_S, "the topics are copied")
        time.sleep(2 * PLAN_S)
        idle_mb = tree_mb(driver.processes["control"].pid)
        print(f"groups: commits of {GROUPS:,} groups took {groups.move(1):.1f} s", flush=True)
        driver.publish(clusters, replace(IDLE, groups=NamePatterns(allow=("bench-.*",))))
        seconds_until(lambda: _round_of(driver, 0) is not None, LIMIT_S, "the first round of all groups")
        sampler, since_ms = Sampler(driver), time.time_ns() // 1_000_000
        sampler.start()
        rounds = [_measured_round(driver, groups, 10 + number) for number in range(ROUNDS)]
        sampler.stop()
        beats_late_s = heartbeats_late_s(clusters.target.bootstrap, since_ms, BEAT_S)
    slowest = max(rounds, key=lambda each: each.took_ms)
    yield Result.limited(f"{NAME}: slowest checkpoint round", "s", slowest.took_ms / 1_000, 10)
    yield Result.limited(f"{NAME}: requests per round", "at the source", max(each.requests for each in rounds), 200)
    yield Result.limited(f"{NAME}: control worker above idle", "MB", sampler.most_mb - idle_mb, 250)
    yield Result.limited(f"{NAME}: plans late", "s", sampler.plans_late_s(PLAN_S), 2)
    yield Result.limited(f"{NAME}: heartbeats late", "s", beats_late_s, 2)


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


def _copied(bootstrap: str, topic: str) -> bool:
    try:
        return sum(end_offsets(bootstrap, topic, PARTITIONS)) >= RECORDS * PARTITIONS
    except Exception:
        return False


def _round_of(driver: WholeDriver, since_ms: int) -> GroupsSummary | None:
    """The summary of a round over all groups that began after this time."""
    with Redis.from_url(driver.redis.url) as client:
        raw = client.get(keys.groups(TARGET, CHECKPOINTS))
    found = summary_from_bytes(raw) if isinstance(raw, bytes) else None
    is_whole = found is not None and len(found.groups) == GROUPS and found.round_ms is not None
    return found if found is not None and is_whole and (found.round_ms or 0) > since_ms else None


def _measured_round(driver: WholeDriver, groups: MovingGroups, offset: int) -> GroupsSummary:
    groups.move(offset)
    moved_ms = time.time_ns() // 1_000_000
    seconds_until(lambda: _round_of(driver, moved_ms) is not None, LIMIT_S, "a round after all groups moved")
    found = _round_of(driver, moved_ms)
    if found is None:
        raise RuntimeError("the summary is gone")
    print(f"groups: a round took {found.took_ms} ms and {found.requests} requests", flush=True)
    return found


def _theirs(clusters: TwoClusters, groups: MovingGroups, jars: Path, folder: Path) -> Iterator[Result]:
    """MirrorMaker does not tell how long its rounds are: the places are counted that it has translated by then."""
    source, target = clusters.source.bootstrap, clusters.target.bootstrap
    properties = folder / "mm2-groups.properties"
    properties.write_text(_properties(source, target))
    with mirror_maker(jars, properties, folder / "mm2-groups.log"):
        last = f"mm.{TOPIC_NAMES[-1]}"
        seconds_until(lambda: _copied(target, last), LIMIT_S, "MirrorMaker has copied the topics")
        follower = CheckpointFollower(target, "mm.checkpoints.internal")
        found = [_places_translated(groups, follower, 30 + number) for number in range(ROUNDS - 1)]
        follower.close()
    yield Result.alone(f"{NAME}: MM2, places translated after {2 * EMIT_S} s", f"of {PLACES:,}", max(found))


def _places_translated(groups: MovingGroups, follower: CheckpointFollower, offset: int) -> int:
    """The places whose checkpoint names the newest commit two intervals later; the syncs tell of some only."""
    groups.move(offset)
    time.sleep(2 * EMIT_S)
    found = follower.moved(offset)
    print(f"groups: MirrorMaker has translated {found:,} of {PLACES:,} places", flush=True)
    return found


def _properties(source: str, target: str) -> str:
    factors = ("", "checkpoints.topic.", "heartbeats.topic.", "offset-syncs.topic.",
               "offset.storage.", "status.storage.", "config.storage.")  # fmt: skip
    lines = [
        "clusters = mm, target",
        f"mm.bootstrap.servers = {source}",
        f"target.bootstrap.servers = {target}",
        "mm->target.enabled = true",
        "mm->target.topics = bench-groups-.*",
        "mm->target.groups = bench-.*",
        "mm->target.tasks.max = 4",
        "mm->target.offset.lag.max = 0",
        f"mm->target.emit.checkpoints.interval.seconds = {EMIT_S}",
        f"mm->target.refresh.groups.interval.seconds = {PLAN_S}",
        "mm->target.sync.group.offsets.enabled = false",
        "target->mm.enabled = false",
        "target->mm.emit.heartbeats.enabled = false",
        *(f"{kind}replication.factor = 1" for kind in factors),
    ]
    return "\n".join(lines) + "\n"
