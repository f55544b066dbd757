"""Chooses shard labels that Spark sends to a task each. Spark hashes them, and hashes of 0, 1, 2 ... collide."""

from functools import cache

_SEED = 42
_WORD = 0xFFFFFFFF


@cache
def labels(shards: int) -> tuple[int, ...]:
    """Return the smallest label that goes to each task of a `repartition` into this many."""
    found: dict[int, int] = {}
    label = 0
    while len(found) < shards:
        found.setdefault(task_of(label, shards), label)
        label += 1
    return tuple(found[task] for task in range(shards))


def task_of(label: int, tasks: int) -> int:
    """Return the task of a row with this INT: Murmur3 as Spark's `hash` computes it, modulo the tasks."""
    mixed = _rotated(label * 0xCC9E2D51, 15) * 0x1B873593 & _WORD
    found = (_rotated(_SEED ^ mixed, 13) * 5 + 0xE6546B64) & _WORD
    found ^= 4  # bytes
    found = (found ^ found >> 16) * 0x85EBCA6B & _WORD
    found = (found ^ found >> 13) * 0xC2B2AE35 & _WORD
    found ^= found >> 16
    return (found - (1 << 32) if found >> 31 else found) % tasks


def _rotated(word: int, by: int) -> int:
    word &= _WORD
    return (word << by | word >> 32 - by) & _WORD
