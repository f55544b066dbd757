"""Names of the Redis keys that drivers and the service share (docs/contracts/redis-keys.md)."""

from replication.domain.assignment.assignment import DriverRole
from replication.domain.identifiers import TaskId

PREFIX = "srm:"
CELERY_PREFIX = "srm:celery:"
NUDGE_CHANNEL = f"{PREFIX}nudge"
MEMBERS_PATTERN = f"{PREFIX}driver:*"
DESIRED_PATTERN = f"{PREFIX}desired:*"
LEADER = f"{PREFIX}leader"
DRIVER_ORDERS = f"{PREFIX}drivers"


def desired(target: str) -> str:
    return f"{PREFIX}desired:{target}"


def target_of_desired(key: str) -> str:
    return key.removeprefix(f"{PREFIX}desired:")


def member(driver: str, role: DriverRole) -> str:
    return f"{PREFIX}driver:{driver}:{role}"


def want(target: str) -> str:
    return f"{PREFIX}want:{target}"


def plan(target: str, source: str) -> str:
    return f"{PREFIX}plan:{target}:{source}"


def lease(target: str, task: TaskId) -> str:
    return f"{PREFIX}lease:{target}:{task}"


def live(target: str, task: TaskId) -> str:
    return f"{PREFIX}live:{target}:{task}"


def celery_queue(queue: str) -> tuple[str, ...]:
    """Return the keys of Celery's messages and of its binding for a queue."""
    return (f"{CELERY_PREFIX}{queue}", f"{CELERY_PREFIX}_kombu.binding.{queue}")


def groups(target: str, task: TaskId) -> str:
    """The key of the summary of a checkpoint task's groups."""
    return f"{PREFIX}groups:{target}:{task.source}:{task.slot}"
