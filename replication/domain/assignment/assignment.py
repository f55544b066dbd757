"""Assigns tasks to drivers: minimal moves, even shares, by measured load; a pure function of its arguments."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from replication.domain.desired.desired_document import DesiredDocument, DesiredFlow
from replication.domain.identifiers import TaskId

DriverRole = Literal["control", "data"]
ROLES: tuple[DriverRole, ...] = get_args(DriverRole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A live worker process of a driver. `capacity` is the most tasks it takes; a draining one takes none."""

    driver: str
    role: DriverRole
    capacity: int | None = None
    drain: bool = False


def role_of(task: TaskId) -> DriverRole:
    """Copying belongs into data workers; everything with JSON and admin calls into control workers."""
    return "data" if task.kind == "source" else "control"


@dataclass(frozen=True, slots=True)
class PlannedSlots:
    """The number of slots in a flow's plan; none while it has no plan."""

    source: int = 0
    checkpoint: int = 0


def tasks_of_flow(flow: DesiredFlow, planned: PlannedSlots, now_ms: int) -> frozenset[TaskId]:
    """The tasks a flow needs now."""
    tasks: set[TaskId] = set()
    if flow.heartbeats:
        tasks.add(TaskId(flow.source, "heartbeat", 0))
    if flow.copies(now_ms):
        tasks.add(TaskId(flow.source, "plan", 0))
        tasks.update(TaskId(flow.source, "source", slot) for slot in range(planned.source))
        tasks.update(TaskId(flow.source, "checkpoint", slot) for slot in range(planned.checkpoint))
    return frozenset(tasks)


def tasks_of(document: DesiredDocument, planned: Mapping[str, PlannedSlots], now_ms: int) -> frozenset[TaskId]:
    """All tasks of a target cluster; `planned` by source."""
    flows = (tasks_of_flow(flow, planned.get(flow.source, PlannedSlots()), now_ms) for flow in document.flows)
    return frozenset().union(*flows)


def assign(
    tasks: Collection[TaskId],
    current: Mapping[TaskId, str],
    members: Collection[Member],
    loads: Mapping[TaskId, float] | None = None,
) -> dict[TaskId, str]:
    """Task -> driver. Every task has at most one driver, and one whenever a driver has room for it.

    A task stays where it is unless its driver is gone, drains, or holds more than its even share; then the lightest
    tasks leave. Free tasks go, heaviest first, to the driver with the fewest tasks, then with the least load.
    """
    wanted: dict[TaskId, str] = {}
    for role in ROLES:
        eligible = [member for member in members if member.role == role and not member.drain]
        wanted |= _assign_role(sorted(task for task in tasks if role_of(task) == role), current, eligible, loads or {})
    return wanted


def _assign_role(
    tasks: list[TaskId], current: Mapping[TaskId, str], members: list[Member], loads: Mapping[TaskId, float]
) -> dict[TaskId, str]:
    held: dict[str, list[TaskId]] = {member.driver: [] for member in members}
    for task in tasks:
        driver = current.get(task)
        if driver in held:
            held[driver].append(task)
    weights = {driver: sum(loads.get(task, 0.0) for task in own) for driver, own in held.items()}
    # what does not divide goes to those that hold the most already, among these to the least loaded
    order = sorted(held, key=lambda driver: (-len(held[driver]), weights[driver], driver))
    shares = _even_shares(len(tasks), members, order)
    for driver, own in held.items():
        own.sort(key=lambda task: (-loads.get(task, 0.0), task))
        del own[shares[driver] :]
    _place_free(tasks, held, shares, loads)
    return {task: driver for driver, own in held.items() for task in own}


def _even_shares(count: int, members: list[Member], order: list[str]) -> dict[str, int]:
    """Return the number of tasks for each driver; the first in `order` get one more where the count does not divide."""
    shares = {member.driver: 0 for member in members}
    room = {member.driver: count if member.capacity is None else member.capacity for member in members}
    left = count
    while left:
        open_drivers = [driver for driver in shares if shares[driver] < room[driver]]
        if not open_drivers:
            break
        step = max(1, min([left // len(open_drivers), *(room[driver] - shares[driver] for driver in open_drivers)]))
        for driver in [name for name in order if name in open_drivers][:left]:
            shares[driver] += step
            left -= step
    return shares


def _place_free(
    tasks: list[TaskId], held: dict[str, list[TaskId]], shares: Mapping[str, int], loads: Mapping[TaskId, float]
) -> None:
    placed = {task for own in held.values() for task in own}
    weight: dict[str, float] = defaultdict(float)
    for driver, own in held.items():
        weight[driver] = sum(loads.get(task, 0.0) for task in own)
    free = sorted((task for task in tasks if task not in placed), key=lambda task: (-loads.get(task, 0.0), task))
    for task in free:
        open_drivers = [driver for driver in held if len(held[driver]) < shares[driver]]
        if not open_drivers:
            return
        chosen = min(open_drivers, key=lambda driver: (len(held[driver]), weight[driver], driver))
        held[chosen].append(task)
        weight[chosen] += loads.get(task, 0.0)
