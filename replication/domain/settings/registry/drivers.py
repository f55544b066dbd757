"""Settings for the drivers that run a flow: where it runs, how long it waits for them, how often it starts again."""

from replication.domain.assignment.labels import parse_labels
from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import ValueType, duration_ms, or_blank, whole

FOR_EVER = -1
DRIVER_LABELS = Setting(
    key="srm.driver.labels",
    values=ValueType(
        parse=lambda text: tuple(sorted(parse_labels(text).items())),
        allowed="labels separated by commas, such as region=eu,rack=a",
        has_parts=True,
    ),
    default=(),
    role="source",
    effect="drivers",
    doc="The labels of drivers that may run the flow's source slots; empty means all drivers. Without such a driver "
    "the slots are unassigned.",
)
REBALANCE_DELAY = Setting(
    key="srm.rebalance.delay.ms",
    values=or_blank(duration_ms(0)),
    default=None,
    role="source",
    effect="drivers",
    doc="How long the flow's tasks wait for a driver that is being restarted on purpose; 60000 without it. "
    "`scheduled.rebalance.max.delay.ms` is its default.",
)
CONNECT_REBALANCE_DELAY = Setting(
    key="scheduled.rebalance.max.delay.ms",
    values=or_blank(duration_ms(0)),
    default=None,
    role="worker",
    effect="drivers",
    doc="How long the flow's tasks wait for a driver that left, for any reason, as in Kafka Connect. Without it, only "
    "restarts on purpose are waited for (`srm.rebalance.delay.ms`).",
)
RETRY_COUNT = Setting(
    key="srm.driver.retry.count",
    values=whole(FOR_EVER),
    default=FOR_EVER,
    role="source",
    effect="drivers",
    slot_field="retries",
    doc="How often a failed task of the flow is started again before it stays `failed`; -1 sets no limit, and 0 equals "
    "1. A task that ran for a minute starts to count again. The manager calls it Retry Count for SRM Driver.",
)
RETRY_DELAY = Setting(
    key="srm.driver.retry.delay.ms",
    values=or_blank(duration_ms(0)),
    default=None,
    role="source",
    effect="drivers",
    slot_field="retries",
    doc="The pause before a failed task of the flow is started again. Without it, pauses grow from 1 to 30 s. The "
    "manager calls it Retry Delay for SRM Driver.",
)
