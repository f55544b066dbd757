"""Checkpoint rounds of ten thousand groups on ten partitions each, by a whole driver and by MirrorMaker 2.

Before each round a record is written to every partition and all groups read it. Both sides then write a checkpoint for
every place, and set the offsets of all groups on the target.
"""

from collections.abc import Iterator
from pathlib import Path

from confluent_kafka.admin import NewTopic

from srm_cli.dev_clusters.registry import LocalCluster
from tests.benchmarks.groups import driver_side, mirror_side
from tests.benchmarks.groups.moved import EMIT_S, Moved
from tests.benchmarks.groups.moving import GROUPS, PARTITIONS, TOPIC_NAMES, MovingGroups
from tests.benchmarks.groups.translations import WANTED_PER_SECOND, measure
from tests.benchmarks.report import Result
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin

FIRST_RECORDS = 20  # of a partition
NAME = f"{GROUPS:,} groups x {PARTITIONS} partitions, all moving"


def measure_groups(source: LocalCluster, target: LocalCluster, mirror_jars: Path, folder: Path) -> Iterator[Result]:
    """Ours first; then MirrorMaker with topics, checkpoints and offset syncs that are its own."""
    yield _translations()
    clusters = TwoClusters(source=source, target=target)
    for future in (
        admin(source.bootstrap).create_topics([NewTopic(each, PARTITIONS, 1) for each in TOPIC_NAMES]).values()
    ):
        future.result(60)
    groups = MovingGroups(source.bootstrap)
    groups.produce(FIRST_RECORDS)
    try:
        ours = driver_side.measure(clusters, groups, folder)
        yield from _limited(ours)
        theirs = mirror_side.measure(clusters, groups, mirror_jars, folder)
        yield from _compared(ours.moved, theirs)
    finally:
        groups.close()


def _translations() -> Result:
    found = measure()
    return Result.reached(
        "translations from 10,000 offset runs a partition", "per second and core", found.per_second, WANTED_PER_SECOND
    )


def _limited(ours: driver_side.Measured) -> Iterator[Result]:
    yield Result.limited(f"{NAME}: slowest checkpoint round", "s", ours.round_s, 10)
    yield Result.limited(f"{NAME}: requests per round", "at the source", ours.requests, 200)
    yield Result.limited(f"{NAME}: control worker above idle", "MB", ours.moved.resident_mb - ours.idle_mb, 250)
    yield Result.limited(f"{NAME}: plans late", "s", ours.plans_late_s, 2)
    yield Result.limited(f"{NAME}: heartbeats late", "s", ours.heartbeats_late_s, 2)


def _compared(ours: Moved, theirs: Moved) -> Iterator[Result]:
    told = f"{NAME}, a round each {EMIT_S} s"
    yield Result.told(f"{told}: all checkpoints written after", "s", ours.slowest_s, theirs.slowest_s)
    yield Result.told(f"{told}: places translated by then", "", ours.places, theirs.places)
    yield Result.told(f"{told}: CPU", "CPU-s per move", ours.cpu_s, theirs.cpu_s)
    yield Result.told(f"{told}: resident memory", "MB", ours.resident_mb, theirs.resident_mb)
