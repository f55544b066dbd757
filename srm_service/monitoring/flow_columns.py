"""The columns of a flow, declared once: the REST fields, the live row and the schema of both follow.

The page reads where REST has a live column from the OpenAPI document (`x-rest`), so it has one kind of row.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, is_dataclass
from functools import cached_property, reduce
from typing import Annotated, Any, get_args, get_type_hints

from replication.domain.health.herder_status import HERDER_MEANING
from srm_service.monitoring.contracts import FlowNow


@dataclass(frozen=True, kw_only=True)
class FlowColumn:
    """One column; its type is that of the attribute of `FlowNow` which it shows."""

    name: str
    path: str = ""  # the attribute of FlowNow; the column's name unless it says so
    rest: str | None = ""  # its place in the REST answer; the column's name unless it says so; None: not there
    is_live: bool = True
    text: str = ""

    @property
    def place(self) -> str | None:
        """Its place in the REST answer, such as `tasks.running`."""
        return self.name if self.rest == "" else self.rest

    @cached_property
    def hint(self) -> Any:
        """The type of its value."""
        return reduce(_hint_of, (self.path or self.name).split("."), FlowNow)

    @property
    def described_hint(self) -> Any:
        """The type with the column's text."""
        return Annotated[self.hint, self.text] if self.text else self.hint

    def value(self, flow: FlowNow) -> Any:
        """The value as JSON has it."""
        found: object = flow
        for name in (self.path or self.name).split("."):
            found = getattr(found, name)
        return asdict(found) if is_dataclass(found) and not isinstance(found, type) else found


def _number(name: str, rest: str) -> FlowColumn:
    return FlowColumn(name=name, path=f"numbers.{name}", rest=f"metrics.{rest}")


# In the order of the live row, and of the REST answer.
FLOW_COLUMNS: tuple[FlowColumn, ...] = (
    FlowColumn(name="key", rest=None),
    FlowColumn(name="source"),
    FlowColumn(name="target"),
    FlowColumn(name="status", path="status.status"),
    FlowColumn(name="reason", path="status.reason"),
    FlowColumn(name="cause", path="status.cause"),
    FlowColumn(name="since_ms", path="status.since_ms"),
    FlowColumn(
        name="orders_in_force",
        text="orders that slow or stop the copying of the flow or of parts of it; null: none",
    ),
    FlowColumn(name="herder_status", is_live=False, text=HERDER_MEANING),
    FlowColumn(name="metrics_age_ms", is_live=False, text="age of the newest metrics of the target"),
    FlowColumn(
        name="metrics_warning",
        is_live=False,
        text="an executor of the target's metrics that is slow, fails or was lost, and the remedy",
    ),
    FlowColumn(
        name="live_age_ms",
        is_live=False,
        text="age of the live numbers: of the oldest report of a source task",
    ),
    FlowColumn(name="served_by", is_live=False, text="id of the driver that copies"),
    FlowColumn(name="service", text="address of the service that reports the flow; null: this one"),
    _number("records_per_second", "records_per_second.latest"),
    _number("bytes_per_second", "bytes_per_second.latest"),
    _number("lag_offsets", "lag_offsets.latest"),
    _number("latency_p50_ms", "replication_latency_ms.p50"),
    _number("latency_p95_ms", "replication_latency_ms.p95"),
    _number("latency_p99_ms", "replication_latency_ms.p99"),
    _number("latency_max_ms", "replication_latency_ms.max"),
    FlowColumn(name="topics"),
    FlowColumn(name="partitions"),
    FlowColumn(name="groups", text="consumer groups by readiness; null: not all checkpoint tasks report"),
    FlowColumn(name="tasks_running", rest="tasks.running"),
    FlowColumn(name="tasks_total", rest="tasks.total"),
    _number("heartbeat_age_ms", "heartbeat_age_ms.latest"),
    FlowColumn(
        name="catch_up_ms",
        path="estimate.catch_up_ms",
        is_live=False,
        text="until the flow has caught up; null: not in sight",
    ),
    FlowColumn(
        name="time_to_loss_ms",
        path="estimate.time_to_loss_ms",
        is_live=False,
        text="until retention overtakes a partition; null: no partition is at risk, or no task reports",
    ),
    FlowColumn(name="limit", path="estimate.limit", is_live=False),
    FlowColumn(name="labels", path="description.labels", is_live=False),
    FlowColumn(name="owner", path="description.owner", is_live=False),
    FlowColumn(name="criticality", path="description.criticality", is_live=False),
    FlowColumn(name="runbook", path="description.runbook", is_live=False, text="address of a page for operators"),
)
LIVE_COLUMNS = tuple(column for column in FLOW_COLUMNS if column.is_live)


def rest_columns(group: str = "") -> Iterator[tuple[str, FlowColumn]]:
    """The names and columns of the REST answer, or of an object in it such as `tasks`."""
    for column in FLOW_COLUMNS:
        parent, _, name = (column.place or "").rpartition(".")
        if name and parent == group:
            yield name, column


def _hint_of(owner: Any, name: str) -> Any:
    """The type of an attribute of a dataclass, or what a property of it returns."""
    found = getattr(owner, name, None)
    if isinstance(found, property):
        return get_type_hints(found.fget)["return"]
    hint = get_type_hints(owner, include_extras=True)[name]
    return get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
