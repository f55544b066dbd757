"""The figures that both sides have: how long after the commits all places have their checkpoints, and at what cost."""

import time
from dataclasses import dataclass

from tests.benchmarks.groups.moving import PLACES, CheckpointFollower, MovingGroups
from tests.benchmarks.groups.sampling import Sampler

ROUNDS = 3
EMIT_S = 20
LIMIT_S = 180.0  # nine intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """`slowest_s` of all moves, `places` of the worst one that were translated within the limit."""

    slowest_s: float
    places: int
    cpu_s: float  # of a move
    resident_mb: float


def moves(name: str, groups: MovingGroups, follower: CheckpointFollower, sampler: Sampler) -> Moved:
    """Move all groups, round by round, until one exceeds the limit."""
    sampler.start()
    found: list[tuple[float, int]] = []
    while len(found) < ROUNDS and all(places >= PLACES for _, places in found):
        found.append(_move(name, groups, follower))
        time.sleep(EMIT_S / 2)  # the round may still set offsets
    sampler.stop()
    return Moved(
        slowest_s=max(seconds for seconds, _ in found),
        places=min(places for _, places in found),
        cpu_s=sampler.cpu_s / len(found),
        resident_mb=sampler.most_mb,
    )


def _move(name: str, groups: MovingGroups, follower: CheckpointFollower) -> tuple[float, int]:
    commits_s = groups.move()
    began = time.monotonic()
    places = follower.moved(groups.end)
    while places < PLACES and time.monotonic() - began < LIMIT_S:
        time.sleep(1.0)
        places = follower.moved(groups.end)
    seconds = time.monotonic() - began
    print(
        f"groups: {name} has translated {places:,} places {seconds:.1f} s after commits of {commits_s:.1f} s",
        flush=True,
    )
    return seconds, places
