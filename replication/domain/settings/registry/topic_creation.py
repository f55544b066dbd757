"""Settings of the topics that a flow creates: replication factors and numbers of partitions."""

from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import COUNT, FACTOR, TEXT

REPLICATION_FACTOR = Setting(
    key="replication.factor",
    values=FACTOR,
    default=2,
    role="source",
    effect="topic creation",
    doc="The replication factor of remote topics. All factors are lowered to the number of brokers.",
)
OFFSET_SYNCS_FACTOR = Setting(
    key="offset-syncs.topic.replication.factor",
    values=FACTOR,
    default=3,
    role="source",
    effect="topic creation",
    doc="The replication factor of the topic of offset syncs.",
)
HEARTBEATS_FACTOR = Setting(
    key="heartbeats.topic.replication.factor",
    values=FACTOR,
    default=3,
    role="source",
    effect="topic creation",
    doc="The replication factor of the topic `heartbeats`.",
)
OFFSETS_FACTOR = Setting(
    key="offset.storage.replication.factor",
    values=FACTOR,
    default=3,
    role="worker",
    effect="topic creation",
    doc="The replication factor of the topics that hold the flow's positions and its own records.",
)
CONFIGS_FACTOR = Setting(
    key="config.storage.replication.factor",
    values=FACTOR,
    default=3,
    role="worker",
    effect="topic creation",
    doc="The replication factor of the topic that MirrorMaker's workers keep their configs in.",
)
STATUS_FACTOR = Setting(
    key="status.storage.replication.factor",
    values=FACTOR,
    default=3,
    role="worker",
    effect="topic creation",
    doc="The replication factor of the topic that MirrorMaker's workers keep their status in.",
)
OFFSETS_PARTITIONS = Setting(
    key="offset.storage.partitions",
    values=COUNT,
    default=25,
    role="worker",
    effect="topic creation",
    doc="The number of partitions of the topic that holds the flow's positions.",
)
STATUS_PARTITIONS = Setting(
    key="status.storage.partitions",
    values=COUNT,
    default=5,
    role="worker",
    effect="topic creation",
    doc="The number of partitions of the topic that MirrorMaker's workers keep their status in.",
)
STORAGE_TOPICS = tuple(
    Setting(
        key=key,
        values=TEXT,
        default=None,
        role="worker",
        effect="none",
        why="these topics keep the names that MirrorMaker gives them",
    )
    for key in ("offset.storage.topic", "config.storage.topic", "status.storage.topic")
)
MANAGER_FACTORS = tuple(
    Setting(
        key=key,
        values=TEXT,
        default=None,
        role="manager",
        effect="none",
        why=f"the flow's own topics take {OFFSETS_FACTOR}",
    )
    for key in ("metrics.topic.replication.factor", "control.topic.replication.factor")
)
