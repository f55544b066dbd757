"""The processes of one driver: a control worker and data workers, each with its own id."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from replication.domain.assignment.assignment import DriverRole
from replication.domain.assignment.labels import labels_text
from replication.worker.exit_codes import EX_CONFIG
from replication.worker.settings import ALL_TARGETS, SettingsError, WorkerSettings, hang_timeout_s
from srm_cli.errors import OperatorError
from srm_cli.supervisor.spec import ProcessSpec
from srm_cli.system import commands, probes


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverPlan:
    """`capacity` limits the tasks of each data worker; None does not.

    `http_port` is `[host:]port` of the control worker, data workers have the following ports; 0 is any free port, empty
    is none.
    """

    driver_id: str
    processes: int = 1
    targets: str = ALL_TARGETS
    capacity: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    log_level: str = "INFO"
    http_port: str = ""
    http_config: str = ""

    @property
    def workers(self) -> Iterator[tuple[str, DriverRole, str]]:
        """Name, role and id of each process: the first data worker shares the id of the driver."""
        yield "control", "control", self.driver_id
        yield "data", "data", self.driver_id
        for number in range(2, self.processes + 1):
            yield f"data-{number}", "data", f"{self.driver_id}-{number}"

    def environment(self, role: DriverRole, worker_id: str, place: int = 0) -> dict[str, str]:
        """Return the variables of one process, which is the `place`-th of the driver."""
        return {
            "SRM_DRIVER_ID": worker_id,
            "SRM_DRIVER_PARENT": self.driver_id,
            "SRM_DRIVER_ROLE": role,
            "SRM_DRIVER_TARGETS": self.targets,
            "SRM_DRIVER_CAPACITY": "" if self.capacity is None or role == "control" else str(self.capacity),
            "SRM_DRIVER_LABELS": labels_text(self.labels),
            "SRM_DRIVER_HTTP_PORT": next_port(self.http_port, place),
            "SRM_DRIVER_HTTP_CONFIG": self.http_config,
        }


def check_driver(plan: DriverPlan, env: Mapping[str, str]) -> None:
    """Check the variables of all processes before one is started. Raises OperatorError."""
    for place, (_, role, worker_id) in enumerate(plan.workers):
        try:
            WorkerSettings.from_environment({**env, **plan.environment(role, worker_id, place)})
        except SettingsError as error:
            raise OperatorError(str(error), exit_code=EX_CONFIG) from error


def driver_specs(
    plan: DriverPlan,
    env: Mapping[str, str],
    *,
    prefix: str = "",
    after: tuple[str, ...] = (),
    fatal_code: int | None = None,
) -> tuple[ProcessSpec, ...]:
    """Return the processes of a driver; their names begin with the prefix."""
    return tuple(
        ProcessSpec(
            name=f"{prefix}{name}",
            command=commands.driver(driver_id=worker_id, role=role, log_level=plan.log_level),
            env={**env, **plan.environment(role, worker_id, place)},
            cwd=commands.PROJECT,
            after=after,
            probe=probes.driver_is_member(env["SRM_REDIS_URL"], worker_id, role),
            silent_within_seconds=_longest_silence(env),
            fatal_code=fatal_code,
        )
        for place, (name, role, worker_id) in enumerate(plan.workers)
    )


def _longest_silence(env: Mapping[str, str]) -> float:
    """Longer than the process's own limit, at which it ends itself with the stacks of its threads in the log."""
    try:
        limit_s = hang_timeout_s({**os.environ, **env})
    except SettingsError:
        return 0.0  # the process refuses to start, and says why
    return 1.25 * limit_s + 5 if limit_s else 0.0


def next_port(address: str, places: int) -> str:
    """Return the address with a port that is so many places higher; 0, any free port, and none stay as they are."""
    host, colon, port = address.rpartition(":")
    return f"{host}{colon}{int(port) + places}" if port.isdecimal() and int(port) else address
