"""Gives every partition of a flow a slot, and moves as few as possible when the number of slots changes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument

MOST_DEPARTED = 20_000
NO_SLOT = -1  # the former slot of a partition that may have been in any

Moved = tuple[TopicPartition, int, int]  # since which layout the partition is in its slot, and from which slot it came


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotAssignment:
    """The partitions of each slot, and the generation and layout they belong to."""

    generation: int
    older_slots: int
    slots: tuple[tuple[TopicPartition, ...], ...]
    layout: int = 0
    moved: tuple[Moved, ...] = ()
    departed: tuple[tuple[str, int, int], ...] = ()


def assign_slots(
    previous: PlanDocument | None, partitions: Iterable[TopicPartition], tasks_max: int, *, generation: int = 1
) -> SlotAssignment:
    """Give every partition one slot: the one it has or had last, else the least loaded of `tasks_max`.

    A slot may still finish what it has of a partition that left: back in another slot it would be copied by both.

    Another `tasks_max` is a new layout of the same generation: new slots take an even share from the largest ones, and
    the partitions of slots that no longer exist go to the least loaded ones (ADR 33). `generation` is the lowest number
    the result may have; a higher one than the previous plan's, or no previous plan, starts a new generation, in which
    all partitions are assigned again.
    """
    wanted = sorted(set(partitions))
    if previous is None or generation > previous.generation:
        number = generation if previous is None else max(generation, previous.generation + 1)
        older = 0 if previous is None else max(len(previous.slots), previous.older_slots)
        fresh: list[list[TopicPartition]] = [[] for _ in range(tasks_max)]
        return SlotAssignment(generation=number, older_slots=older, slots=_deal(fresh, wanted))
    is_new_layout = previous.tasks_max != tasks_max
    layout = previous.layout + is_new_layout
    slots = _kept_slots(previous, frozenset(wanted), tasks_max)
    if is_new_layout:
        _fill_new_slots(slots, min(previous.tasks_max, tasks_max))
    dealt = _deal(slots, wanted)
    return SlotAssignment(
        generation=previous.generation,
        older_slots=previous.older_slots,
        slots=dealt,
        layout=layout,
        moved=_moved(previous, dealt, layout),
        departed=_departed(previous, frozenset(wanted)),
    )


def _kept_slots(
    previous: PlanDocument, wanted: frozenset[TopicPartition], tasks_max: int
) -> list[list[TopicPartition]]:
    slots: list[list[TopicPartition]] = [[] for _ in range(tasks_max)]
    for number, slot in enumerate(previous.slots[:tasks_max]):
        held = (TopicPartition(previous.topics[index].upstream, partition) for index, partition in slot)
        slots[number] = [partition for partition in held if partition in wanted]
    for topic, number, slot_number in previous.departed:
        partition = TopicPartition(topic, number)
        if partition in wanted and slot_number < tasks_max:
            slots[slot_number].append(partition)
    return slots


def _fill_new_slots(slots: list[list[TopicPartition]], first_new: int) -> None:
    """Take an even share for each new slot from the largest old ones, spread over the topics of each."""
    new = len(slots) - first_new
    sizes = [len(slot) for slot in slots[:first_new]]
    share, rest = divmod(sum(sizes), len(slots))
    takes = _takes(sizes, sum(sizes) - first_new * share - min(rest, first_new))
    taken = [partition for slot, count in zip(slots, takes, strict=False) for partition in _take(slot, count)]
    for number in range(new):
        slots[first_new + number] = taken[number::new]


def _takes(sizes: Sequence[int], count: int) -> list[int]:
    """Return how many each slot gives, so that the largest ones become equal."""
    left = list(sizes)
    by_size = sorted(range(len(left)), key=lambda number: -left[number])
    while count > 0 and by_size and left[by_size[0]] > 0:
        level = left[by_size[0]]
        equal = [number for number in by_size if left[number] == level]
        below = max((size for size in left if size < level), default=0)
        each = min(level - below, max(1, count // len(equal)))
        for number in equal[: count if each == 1 else len(equal)]:
            left[number] -= each
            count -= each
        by_size.sort(key=lambda number: -left[number])
    return [before - after for before, after in zip(sizes, left, strict=True)]


def _take(slot: list[TopicPartition], count: int) -> list[TopicPartition]:
    """Remove partitions at even distances: a new slot that got the last ones would get whole topics."""
    if not count:
        return []
    ordered = sorted(slot)
    chosen = {(2 * number + 1) * len(ordered) // (2 * count) for number in range(count)}
    slot[:] = [partition for at, partition in enumerate(ordered) if at not in chosen]
    return [ordered[at] for at in sorted(chosen)]


def _moved(previous: PlanDocument, slots: Sequence[Sequence[TopicPartition]], layout: int) -> tuple[Moved, ...]:
    """Return the partitions that another slot may still have: those that moved, or returned, in this generation."""
    if not layout:
        return ()
    names = [topic.upstream for topic in previous.topics]
    before = {
        TopicPartition(names[index], partition): number
        for number, slot in enumerate(previous.slots)
        for index, partition in slot
    }
    known = {
        TopicPartition(names[index], partition): (since, former) for index, partition, since, former in previous.moved
    }
    moved: list[Moved] = []
    for number, slot in enumerate(slots):
        for partition in slot:
            former = before.get(partition, NO_SLOT)
            if former == number:
                if partition in known:
                    moved.append((partition, *known[partition]))
            else:
                moved.append((partition, layout, former))
    return tuple(moved)


def _departed(previous: PlanDocument, wanted: frozenset[TopicPartition]) -> tuple[tuple[str, int, int], ...]:
    """Those that left in this generation; the oldest are forgotten when there are too many to write down."""
    before = [each for each in previous.departed if TopicPartition(each[0], each[1]) not in wanted]
    left = [
        (previous.topics[index].upstream, partition, number)
        for number, slot in enumerate(previous.slots)
        for index, partition in slot
        if TopicPartition(previous.topics[index].upstream, partition) not in wanted
    ]
    return tuple([*before, *left][-MOST_DEPARTED:])


def _deal(
    slots: list[list[TopicPartition]], wanted: Sequence[TopicPartition]
) -> tuple[tuple[TopicPartition, ...], ...]:
    """Add what has no slot yet to the least loaded one; slots left empty at the end are not part of the plan."""
    placed = {partition for slot in slots for partition in slot}
    for partition in wanted:
        if partition not in placed:
            min(slots, key=len).append(partition)
    while slots and not slots[-1]:
        slots.pop()
    return tuple(tuple(sorted(slot)) for slot in slots)
