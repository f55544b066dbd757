"""The figures that both sides have: how long after the commits all places have their checkpoints, and at what cost."""

import time
from dataclasses import dataclass

from tests.benchmarks.groups.moving import PLACES, CheckpointFollower, MovingGroups
from tests.benchmarks.groups.sampling import Sampler

ROUNDS = 3
EMIT_S = 20
LIMIT_S = 60.0  # three intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """`slowest_s` of all moves, `places` of the worst one that were translated within the limit."""

    slowest_s: float
    places: int
    cpu_s: float  # of all moves
    resident_mb: float


def moves(name: str, groups: MovingGroups, follower: CheckpointFollower, sampler: Sampler) -> Moved:
    """Move all groups, round by round."""
    sampler.start()
    found = [_move(name, groups, follower) for _ in range(ROUNDS)]
    sampler.stop()
    return Moved(
        slowest_s=max(seconds for seconds, _ in found),
        places=min(places for _, places in found),
        cpu_s=sampler.cpu_s,
        resident_mb=sampler.most_mb,
    )


def _move(name: str, groups: MovingGroups, follower: CheckpointFollower) -> tuple[float, int]:
    commits_s = groups.move()
    began = time.monotonic()
    places = follower.moved(groups.end)
    while places < PLACES and time.monotonic() - began < LIMIT_S:
        time.sleep(0.5)
        places = follower.moved(groups.end)
    seconds = time.monotonic() - began
    print(
        f"groups: {name} has translated {places:,} places {seconds:.1f} s after commits of {commits_s:.1f} s",
        flush=True,
    )
    return seconds, places
