"""Settings of consumer groups, whose translation does not exist yet."""

from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import BOOLEAN, COUNT, FACTOR, PATTERNS, TEXT, ValueType

_WHY = "consumer groups are not translated yet"

GROUPS = Setting(key="groups", values=PATTERNS, default=(".*",), role="flow", effect="not yet", why=_WHY)
GROUPS_EXCLUDE = Setting(
    key="groups.exclude",
    values=PATTERNS,
    default=("console-consumer-.*", "connect-.*", "__.*"),
    role="flow",
    effect="not yet",
    why=_WHY,
)
SYNC_GROUP_OFFSETS = Setting(
    key="sync.group.offsets.enabled", values=BOOLEAN, default=False, role="checkpoint", effect="not yet", why=_WHY
)


def _each(values: ValueType[object], *keys: str) -> tuple[Setting[object], ...]:
    return tuple(
        Setting(key=key, values=values, default=None, role="checkpoint", effect="not yet", why=_WHY) for key in keys
    )


EMIT_CHECKPOINTS = Setting(
    key="emit.checkpoints.enabled", values=BOOLEAN, default=True, role="checkpoint", effect="not yet", why=_WHY
)
CHECKPOINT_SWITCHES = _each(BOOLEAN, "refresh.groups.enabled", "cloudera.reverse.checkpointing.enabled")
CHECKPOINT_INTERVALS = _each(
    COUNT,
    "emit.checkpoints.interval.seconds",
    "refresh.groups.interval.seconds",
    "sync.group.offsets.interval.seconds",
)
CHECKPOINTS_FACTOR = _each(FACTOR, "checkpoints.topic.replication.factor")
GROUP_FILTER = Setting(
    key="group.filter.class",
    values=TEXT,
    default=None,
    role="checkpoint",
    effect="none",
    why="filters are allow and deny lists",
)
