"""Settings of consumer groups: which are translated, how often, and whether their offsets are set on the target."""

from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import BOOLEAN, FACTOR, PATTERNS, TEXT, duration_s

GROUPS = Setting(
    key="groups",
    values=PATTERNS,
    default=(".*",),
    role="flow",
    effect="consumer groups",
    doc="The consumer groups that are translated.",
)
GROUPS_EXCLUDE = Setting(
    key="groups.exclude",
    values=PATTERNS,
    default=("console-consumer-.*", "connect-.*", "__.*"),
    role="flow",
    effect="consumer groups",
    doc="Groups that are not translated, even if `groups` matches them.",
)
EMIT_CHECKPOINTS = Setting(
    key="emit.checkpoints.enabled",
    values=BOOLEAN,
    default=True,
    role="checkpoint",
    effect="consumer groups",
    doc="Whether the flow writes checkpoints, the translated offsets of consumer groups. Group offset sync and "
    "readiness need them.",
)
EMIT_CHECKPOINTS_INTERVAL = Setting(
    key="emit.checkpoints.interval.seconds",
    values=duration_s(1),
    default=60,
    role="checkpoint",
    effect="consumer groups",
    doc="How often committed offsets are translated.",
)
REFRESH_GROUPS = Setting(
    key="refresh.groups.enabled",
    values=BOOLEAN,
    default=True,
    role="checkpoint",
    effect="consumer groups",
    doc="Whether the flow looks for new groups while it runs.",
)
REFRESH_GROUPS_INTERVAL = Setting(
    key="refresh.groups.interval.seconds",
    values=duration_s(1),
    default=10,
    role="checkpoint",
    effect="consumer groups",
    doc="How often the flow looks for new groups. MirrorMaker does every ten minutes; here it costs one request per "
    "broker, and no task restarts.",
)
SYNC_GROUP_OFFSETS = Setting(
    key="sync.group.offsets.enabled",
    values=BOOLEAN,
    default=False,
    role="checkpoint",
    effect="consumer groups",
    doc="Whether translated offsets are committed on the target, for groups without members there and only forward. "
    "Flows that a form creates and those of operator resources have `true` unless they say otherwise.",
)
SYNC_GROUP_OFFSETS_INTERVAL = Setting(
    key="sync.group.offsets.interval.seconds",
    values=duration_s(1),
    default=60,
    role="checkpoint",
    effect="consumer groups",
    doc="How often they are committed. A shorter time than that between checkpoints has no effect.",
)
REVERSE_CHECKPOINTING = Setting(
    key="cloudera.reverse.checkpointing.enabled",
    values=BOOLEAN,
    default=False,
    role="checkpoint",
    effect="consumer groups",
    doc="Whether progress that a group makes on copies is translated back for the original topics.",
)
CHECKPOINTS_FACTOR = Setting(
    key="checkpoints.topic.replication.factor",
    values=FACTOR,
    default=3,
    role="checkpoint",
    effect="topic creation",
    doc="The replication factor of the topic of checkpoints.",
)
GROUP_FILTER = Setting(
    key="group.filter.class",
    values=TEXT,
    default=None,
    role="checkpoint",
    effect="none",
    why="filters are allow and deny lists",
)
