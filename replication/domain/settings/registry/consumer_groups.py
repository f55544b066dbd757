"""Settings of consumer groups: which are translated, how often, and whether their offsets are set on the target."""

from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import BOOLEAN, FACTOR, PATTERNS, TEXT, duration_s


def _switch(key: str, *, default: bool, doc: str) -> Setting[bool]:
    """Return a setting of the checkpoint connector that is on or off."""
    return Setting(key=key, values=BOOLEAN, default=default, role="checkpoint", effect="consumer groups", doc=doc)


def _interval_s(key: str, *, default: int, doc: str) -> Setting[int]:
    """Return a time of the checkpoint connector in seconds."""
    return Setting(key=key, values=duration_s(1), default=default, role="checkpoint", effect="consumer groups", doc=doc)


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
EMIT_CHECKPOINTS = _switch(
    "emit.checkpoints.enabled",
    default=True,
    doc="Whether the flow writes checkpoints, the translated offsets of consumer groups. Group offset sync and "
    "readiness need them.",
)
EMIT_CHECKPOINTS_INTERVAL = _interval_s(
    "emit.checkpoints.interval.seconds",
    default=60,
    doc="How often committed offsets are translated.",
)
REFRESH_GROUPS = _switch(
    "refresh.groups.enabled",
    default=True,
    doc="Whether the flow finds new groups while it runs.",
)
REFRESH_GROUPS_INTERVAL = _interval_s(
    "refresh.groups.interval.seconds",
    default=10,
    doc="How often the flow searches for new groups. MirrorMaker does every ten minutes; here it costs one request per "
    "broker, and no task restarts.",
)
SYNC_GROUP_OFFSETS = _switch(
    "sync.group.offsets.enabled",
    default=False,
    doc="Whether translated offsets are committed on the target, for groups without members there and only forward. "
    "Flows that a form creates and those of operator resources have `true` unless they say otherwise.",
)
SYNC_GROUP_OFFSETS_INTERVAL = _interval_s(
    "sync.group.offsets.interval.seconds",
    default=60,
    doc="How often they are committed. A shorter time than that between checkpoints has no effect.",
)
REVERSE_CHECKPOINTING = _switch(
    "cloudera.reverse.checkpointing.enabled",
    default=False,
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
