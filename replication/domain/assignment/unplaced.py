"""The reason why a task fits on no driver, with a remedy."""

from collections.abc import Collection

from replication.domain.assignment.assignment import role_of
from replication.domain.assignment.labels import labels_text
from replication.domain.assignment.members import AssignableTask, Member
from replication.domain.settings.registry.drivers import DRIVER_LABELS

NO_DRIVER = "no_driver"  # the cause code


def why_unplaced(work: AssignableTask, members: Collection[Member]) -> str:
    """Return one line for an operator about a task that `assign` left without a driver."""
    serving = [member for member in members if member.serves(work)]
    if not serving:
        return (
            f"no {role_of(work.task)} worker serves {work.target} now; if none returns within a minute, "
            "start `srm driver` with this target"
        )
    suited = [member for member in serving if member.suits(work)]
    if not suited:
        labels = labels_text(work.labels)
        return (
            f"no driver for {work.target} has the labels {labels}: start one with `--label {labels}`, or change "
            f"{DRIVER_LABELS.key} of the flow"
        )
    if all(member.drain for member in suited):
        names = ", ".join(sorted(member.driver for member in suited))
        return f"every driver that could run it is drained ({names}): start another one, or end a drain"
    full = ", ".join(f"{member.driver}: {member.capacity}" for member in suited if not member.drain)
    return f"no driver has room for it (capacity of {full}): start another one, or raise SRM_DRIVER_CAPACITY"
