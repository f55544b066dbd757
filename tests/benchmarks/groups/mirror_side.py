"""The groups translated by MirrorMaker 2 in dedicated mode, with the same interval and four tasks."""

import time
from contextlib import closing
from pathlib import Path

from tests.benchmarks.groups.driver_side import is_copied
from tests.benchmarks.groups.moved import EMIT_S, Moved, moves
from tests.benchmarks.groups.moving import TOPIC_NAMES, CheckpointFollower, MovingGroups, seconds_until
from tests.benchmarks.groups.sampling import Sampler
from tests.benchmarks.sides import mirror_maker_command, running
from tests.support.kafka.clusters import TwoClusters

LIMIT_S = 240.0


def measure(clusters: TwoClusters, groups: MovingGroups, jars: Path, folder: Path) -> Moved:
    """Copy the topics, and move the groups three intervals after the first checkpoint."""
    source, target = clusters.source.bootstrap, clusters.target.bootstrap
    properties = folder / "mm2-groups.properties"
    properties.write_text(_properties(source, target))
    with running(mirror_maker_command(jars, properties), folder / "mm2-groups.log") as process:
        last = f"mm.{TOPIC_NAMES[-1]}"
        seconds_until(lambda: is_copied(target, last, groups.end), LIMIT_S, "MirrorMaker has copied the topics")
        with closing(CheckpointFollower(target, "mm.checkpoints.internal")) as follower:
            seconds_until(lambda: follower.moved(0) > 0, LIMIT_S, "MirrorMaker has written a checkpoint")
            time.sleep(3 * EMIT_S)  # it leaves partitions without an offset sync until their next record
            return moves("MirrorMaker", groups, follower, Sampler(process.pid))


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
        "mm->target.sync.group.offsets.enabled = true",
        f"mm->target.sync.group.offsets.interval.seconds = {EMIT_S}",
        "target->mm.enabled = false",
        "target->mm.emit.heartbeats.enabled = false",
        *(f"{kind}replication.factor = 1" for kind in factors),
    ]
    return "\n".join(lines) + "\n"
