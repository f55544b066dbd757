"""Settings of a flow as a whole: whether it runs, where it starts, how it names topics, how fast it reads."""

from typing import get_args

from replication.domain.control.throttle import parse_rate, parse_schedule
from replication.domain.names.internal_topic import DEFAULT_SEPARATOR
from replication.domain.offsets.start_position import StartAt, parse_start, parse_start_offsets
from replication.domain.reporting.audit_schedule import parse_audit_schedule
from replication.domain.settings.choices import ExactlyOnceSupport, GapPolicy, TargetPolicy
from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import BOOLEAN, COUNT, LIST, OPTIONAL_TEXT, TEXT, ValueType, choice

ENABLED = Setting(
    key="enabled",
    values=BOOLEAN,
    default=False,
    role="flow",
    effect="flow",
    doc="Whether the flow copies records. It works on a flow only, not without a prefix.",
)
EMIT_HEARTBEATS = Setting(
    key="emit.heartbeats.enabled",
    values=BOOLEAN,
    default=True,
    role="flow",
    effect="heartbeats",
    doc="Whether heartbeats of the flow are written to its target, also where the flow is not enabled.",
)
TASKS_MAX = Setting(
    key="tasks.max",
    values=COUNT,
    default=1,
    role="flow",
    effect="planning",
    change="live",
    doc="The highest number of slots among which the flow's partitions are divided; a change moves few of them.",
)
START: Setting[StartAt] = Setting(
    key="srm.start",
    values=ValueType(
        parse=parse_start,
        allowed="earliest, latest, a time such as 2026-01-31T00:00:00Z or milliseconds since 1970",
    ),
    default="earliest",
    role="flow",
    effect="engine",
    slot_field="start",
    doc="Where the flow starts to read partitions that have no position yet. Without it, the consumer's "
    "`auto.offset.reset` decides.",
)
START_OFFSETS = Setting(
    key="srm.start.offsets",
    values=ValueType(
        parse=parse_start_offsets,
        allowed="start offsets separated by commas, each as topic:partition=offset",
        has_parts=True,
    ),
    default=(),
    role="source",
    effect="engine",
    slot_field="start_offsets",
    doc="The first offset to copy, partition by partition. It beats `srm.start`.",
)
GAP_POLICY: Setting[GapPolicy] = Setting(
    key="srm.gap.policy",
    values=choice(*get_args(GapPolicy)),
    default="record_and_continue",
    role="flow",
    effect="engine",
    change="restart",
    slot_field="gap_policy",
    doc="What to do when source records are lost before they were copied.",
)
TARGET_POLICY: Setting[TargetPolicy] = Setting(
    key="srm.target.truncated.policy",
    values=choice(*get_args(TargetPolicy)),
    default="record",
    role="source",
    effect="engine",
    change="restart",
    slot_field="target_policy",
    doc="What to do when copies are missing on the target, because a remote topic was deleted or lost its end: "
    "`record` the gap and continue, `stop` the partition, or `rewind` it to copy them again ([gaps](control.md#gaps)).",
)
EXACTLY_ONCE: Setting[ExactlyOnceSupport] = Setting(
    key="exactly.once.source.support",
    values=choice(*get_args(ExactlyOnceSupport)),
    default="disabled",
    role="worker",
    effect="engine",
    change="restart",
    slot_field="delivery",
    doc="Whether records are copied exactly once, in transactions. `preparing` equals `disabled`: the step between "
    "the two is a matter of Connect workers.",
)
THROTTLE_RATE = Setting(
    key="srm.throttle.rate",
    values=ValueType(
        parse=parse_rate,
        allowed="bytes per second such as 10MB or 512KiB, up to 1000000GB, or unlimited",
        none="unlimited",
    ),
    default=None,
    role="source",
    effect="engine",
    slot_field="throttle",
    doc="How much the flow reads at most, shared equally by its slots. A limit that is set over REST beats it.",
)
THROTTLE_SCHEDULE = Setting(
    key="srm.throttle.schedule",
    values=ValueType(
        parse=parse_schedule,
        allowed="windows of the day in UTC separated by commas, such as 08:00-18:00=10MB",
        has_parts=True,
    ),
    default=(),
    role="source",
    effect="engine",
    slot_field="throttle",
    doc="Limits for parts of the day. A window that holds now beats the rate.",
)
AUDIT_SCHEDULE = Setting(
    key="srm.audit.schedule",
    values=ValueType(
        parse=parse_audit_schedule,
        allowed="an interval from 10m to 366d (90m, 6h, 1d), a time in UTC (daily 02:30, sunday 02:30) or empty",
    ),
    default=None,
    role="source",
    effect="audits",
    doc="When an incremental audit of the flow begins automatically: so long after the last scheduled one, or at that "
    "time on every day or one day of the week ([audit](audit.md)). An empty value on a flow withdraws a schedule that "
    "is set without a prefix.",
)
POLICY_CLASS = Setting(
    key="replication.policy.class",
    values=TEXT,
    default="DefaultReplicationPolicy",
    role="flow",
    effect="planning",
    change="restart",
    doc="MirrorMaker's class that names remote topics: `DefaultReplicationPolicy` or `IdentityReplicationPolicy`. "
    "Other Java classes cannot be loaded.",
)
POLICY_SEPARATOR = Setting(
    key="replication.policy.separator",
    values=TEXT,
    default=DEFAULT_SEPARATOR,
    role="flow",
    effect="planning",
    change="restart",
    doc="The text between the source's alias and the topic in names of remote topics.",
)
POLICY_TEMPLATE = Setting(
    key="srm.replication.policy.template",
    values=OPTIONAL_TEXT,
    default=None,
    role="flow",
    effect="planning",
    doc="Names of remote topics as a template: `{source}.{topic}`, `{topic}-copy`. Without `{source}` copies are never "
    "copied on. It beats `replication.policy.class`.",
)
CLUSTERS = Setting(
    key="clusters",
    values=LIST,
    default=(),
    role="manager",
    effect="flow",
    doc="The aliases of the clusters. Every ordered pair of them can be a flow.",
)
