"""Assigns the tasks of all targets to processes; a pure function of its arguments (ADR 27).

1. A task whose process is gone goes to the process with the fewest tasks.
2. Tasks leave processes that drain, lack the labels or are above their capacity.
3. Tasks leave processes with two tasks more than another one.
4. A task leaves the busiest process if the move pays.

Steps 2 to 4 move at most one slot of a flow, and none of a flow that is moving one.
"""

from collections.abc import Collection, Iterator

from replication.domain.assignment.assignment import ROLES, TaskKey, role_of
from replication.domain.assignment.members import AssignableTask, Member
from replication.domain.assignment.placement import Placement

LEAST_GAIN = 5.0  # in percent of a core: what a move for the load has to take from the busiest process
LEAST_GAIN_RATIO = 0.2  # and as a ratio of its load
_INDIFFERENT = 1.0  # a move for the number of tasks may add this to the busier process
_Flow = tuple[str, str]


def assign(
    works: Collection[AssignableTask], members: Collection[Member], *, balances_loads: bool = False
) -> dict[TaskKey, str]:
    """Return the process of each task; a task that fits on none is missing.

    `balances_loads`: the loads are settled, and tasks may move because of them.
    """
    assigned: dict[TaskKey, str] = {}
    for role in ROLES:
        own = sorted((work for work in works if role_of(work.task) == role), key=lambda work: work.key)
        placement = Placement(member for member in members if member.role == role)
        moving = {work.flow for work in own if work.moving}
        _keep(placement, own)
        _place_free(placement, own)
        _move_out(placement, moving)
        _even_counts(placement, moving)
        if balances_loads and not any(work.moving for work in own):
            _even_loads(placement, moving)
        assigned |= placement.drivers()
    return assigned


def _keep(placement: Placement, works: Collection[AssignableTask]) -> None:
    for work in works:
        member = placement.member(work.driver)
        if member is not None and member.serves(work):
            placement.put(work, member.driver)


def _place_free(placement: Placement, works: Collection[AssignableTask]) -> None:
    """Tasks with little choice first, then the heavy ones."""
    placed = placement.drivers()
    free = [work for work in works if work.key not in placed]
    choices = {work.key: sum(member.suits(work) for member in placement.members()) for work in free}
    for work in sorted(free, key=lambda work: (choices[work.key], -work.load, work.key)):
        driver = placement.best_for(work)
        if driver is not None:
            placement.put(work, driver)


def _move_out(placement: Placement, moving: set[_Flow]) -> None:
    """A task that may not stay and fits nowhere loses its driver; one of a draining process stays."""
    for member in placement.members():
        for work, may_stay in _leaving(placement, member):
            other = placement.best_for(work)
            if other is None and not may_stay:
                placement.remove(work, member.driver)
            elif other is not None and work.flow not in moving:
                placement.move(work, member.driver, other)
                moving.add(work.flow)


def _leaving(placement: Placement, member: Member) -> Iterator[tuple[AssignableTask, bool]]:
    """Yield the tasks that have to leave a process, and True for those that may stay if they fit nowhere else."""
    held = placement.held(member.driver)
    unsuited = [work for work in held if not member.suits(work)]
    yield from ((work, False) for work in unsuited)
    suited = sorted((work for work in held if member.suits(work)), key=lambda work: (work.load, work.key))
    excess = max(0, len(held) - len(unsuited) - (len(held) if member.capacity is None else member.capacity))
    yield from ((work, False) for work in suited[:excess])
    if member.drain:
        yield from ((work, True) for work in suited[excess:])


def _even_counts(placement: Placement, moving: set[_Flow]) -> None:
    while (found := _count_move(placement, moving)) is not None:
        work, driver, other = found
        placement.move(work, driver, other)
        moving.add(work.flow)


def _count_move(placement: Placement, moving: set[_Flow]) -> tuple[AssignableTask, str, str] | None:
    """Return the move from the fullest to the emptiest process that leaves their loads most even."""
    names = [member.driver for member in placement.members() if not member.drain]
    for driver in sorted(names, key=lambda name: (-placement.count(name), -placement.load(name), name)):
        for other in sorted(names, key=lambda name: (placement.count(name), placement.load(name), name)):
            if placement.count(driver) - placement.count(other) < 2:
                break
            work = _best_move(placement, driver, other, moving)
            if work is not None and _busier_after(placement, work, driver, other) <= _INDIFFERENT + max(
                placement.load(driver), placement.load(other)
            ):
                return work, driver, other
    return None


def _even_loads(placement: Placement, moving: set[_Flow]) -> None:
    """Make the one move that takes most from the busiest process, if it pays."""
    names = [member.driver for member in placement.members() if not member.drain]
    busiest = max(names, key=lambda name: (placement.load(name), name), default=None)
    if busiest is None:
        return
    load = placement.load(busiest)
    moves = [
        (_busier_after(placement, work, busiest, other), work.key, work, other)
        for other in names
        if other != busiest and (work := _best_move(placement, busiest, other, moving)) is not None
    ]
    for after, _, work, other in sorted(moves, key=lambda move: move[:2])[:1]:
        if load - after >= max(LEAST_GAIN, LEAST_GAIN_RATIO * load):
            placement.move(work, busiest, other)
            moving.add(work.flow)


def _best_move(placement: Placement, driver: str, other: str, moving: set[_Flow]) -> AssignableTask | None:
    """Return the task whose move leaves the loads of both most even."""
    movable = [work for work in placement.held(driver) if work.flow not in moving and placement.takes(other, work)]
    return min(
        movable,
        key=lambda work: (_busier_after(placement, work, driver, other), work.load, work.key),
        default=None,
    )


def _busier_after(placement: Placement, work: AssignableTask, driver: str, other: str) -> float:
    """Return the load of the busier of two processes after the move."""
    return max(placement.load(driver) - work.load, placement.load(other) + work.load)
