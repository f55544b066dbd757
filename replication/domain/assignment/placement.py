"""The tasks of each process while an assignment is being decided."""

from collections.abc import Collection, Iterable

from replication.domain.assignment.assignment import TaskKey
from replication.domain.assignment.members import AssignableTask, Member


class Placement:
    """Counts and sums the tasks that members of one role hold. Every list is in a fixed order."""

    def __init__(self, members: Iterable[Member]) -> None:
        self._members = {member.driver: member for member in sorted(members, key=lambda each: each.driver)}
        self._held: dict[str, dict[TaskKey, AssignableTask]] = {driver: {} for driver in self._members}
        self._loads = dict.fromkeys(self._members, 0.0)

    def drivers(self) -> dict[TaskKey, str]:
        return {key: driver for driver, held in self._held.items() for key in held}

    def member(self, driver: str | None) -> Member | None:
        return None if driver is None else self._members.get(driver)

    def members(self) -> Collection[Member]:
        return self._members.values()

    def held(self, driver: str) -> list[AssignableTask]:
        return list(self._held[driver].values())

    def count(self, driver: str) -> int:
        return len(self._held[driver])

    def load(self, driver: str) -> float:
        return self._loads[driver]

    def excess(self, driver: str) -> int:
        """Return by how many tasks the process is above its capacity."""
        capacity = self._members[driver].capacity
        return 0 if capacity is None else max(0, self.count(driver) - capacity)

    def takes(self, driver: str, work: AssignableTask) -> bool:
        """Return True when the process may get the task."""
        member = self._members[driver]
        has_room = member.capacity is None or self.count(driver) < member.capacity
        return has_room and not member.drain and member.suits(work)

    def best_for(self, work: AssignableTask) -> str | None:
        """Return the process with the fewest tasks, then with the fewest of its kind, then with the least load."""
        takers = [driver for driver in self._members if self.takes(driver, work)]
        return min(
            takers,
            key=lambda driver: (self.count(driver), self._alike(driver, work), self.load(driver), driver),
            default=None,
        )

    def _alike(self, driver: str, work: AssignableTask) -> int:
        return sum(key[1].kind == work.task.kind for key in self._held[driver])

    def put(self, work: AssignableTask, driver: str) -> None:
        self._held[driver][work.key] = work
        self._loads[driver] += work.load

    def remove(self, work: AssignableTask, driver: str) -> None:
        del self._held[driver][work.key]
        self._loads[driver] -= work.load

    def move(self, work: AssignableTask, driver: str, to: str) -> None:
        self.remove(work, driver)
        self.put(work, to)
