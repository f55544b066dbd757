"""Divides the consumer groups of a flow into checkpoint slots; a group keeps its slot while their number stays."""

from collections.abc import Collection, Sequence

GroupSlots = tuple[tuple[str, ...], ...]


def assign_groups(previous: Sequence[Sequence[str]], wanted: Collection[str], tasks_max: int) -> GroupSlots:
    """Return the groups of each slot: at most `tasks_max` slots, and none without a group.

    New groups go to the slot with the fewest. If the number of slots changes, as few groups as possible move.
    """
    count = min(tasks_max, len(wanted))
    names = frozenset(wanted)
    slots = [[name for name in slot if name in names] for slot in previous[:count]]
    slots += [[] for _ in range(count - len(slots))]
    placed = {name for slot in slots for name in slot}
    for name in sorted(names - placed):
        min(slots, key=len).append(name)
    if len(previous) != count or not all(slots):
        _level(slots)
    return tuple(tuple(sorted(slot)) for slot in slots)


def _level(slots: list[list[str]]) -> None:
    """Move groups until no slot has two more than another."""
    while slots:
        most, least = max(slots, key=len), min(slots, key=len)
        if len(most) - len(least) < 2:
            return
        least.append(most.pop())
