"""Settings of the planner and of heartbeats: how often it plans, what it keeps in step, what it waits for."""

from typing import get_args

from replication.domain.settings.choices import HeartbeatsKey
from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import BOOLEAN, COUNT, OPTIONAL_TEXT, TEXT, choice, duration_s

CUSTOM_POLICY = Setting(
    key="srm.replication.policy",
    values=OPTIONAL_TEXT,
    default=None,
    role="source",
    effect="planning",
    doc="A custom replication policy, by the name under which an installed package offers it in the entry-point "
    "group `srm.replication_policies`.",
)
REFRESH_TOPICS = Setting(
    key="refresh.topics.enabled",
    values=BOOLEAN,
    default=True,
    role="source",
    effect="planning",
    doc="Whether the flow looks for new topics and partitions while it runs.",
)
REFRESH_TOPICS_INTERVAL = Setting(
    key="refresh.topics.interval.seconds",
    values=duration_s(1),
    default=10,
    role="source",
    effect="planning",
    doc="How often the flow looks for new topics and partitions. MirrorMaker does every ten minutes; here it costs "
    "three requests and disturbs no slot.",
)
SYNC_CONFIGS = Setting(
    key="sync.topic.configs.enabled",
    values=BOOLEAN,
    default=True,
    role="source",
    effect="planning",
    doc="Whether remote topics take over the configs of their originals.",
)
SYNC_CONFIGS_INTERVAL = Setting(
    key="sync.topic.configs.interval.seconds",
    values=duration_s(1),
    default=600,
    role="source",
    effect="planning",
    doc="How often configs are compared.",
)
SYNC_ACLS = Setting(
    key="sync.topic.acls.enabled",
    values=BOOLEAN,
    default=True,
    role="source",
    effect="planning",
    doc="Whether remote topics take over the ACLs of their originals.",
)
SYNC_ACLS_INTERVAL = Setting(
    key="sync.topic.acls.interval.seconds",
    values=duration_s(1),
    default=600,
    role="source",
    effect="planning",
    doc="How often ACLs are compared.",
)
ACL_PRUNE = Setting(
    key="srm.acl.prune",
    values=BOOLEAN,
    default=False,
    role="source",
    effect="planning",
    doc="Whether ACLs that the flow created are removed once their original is gone.",
)
ORIGINAL_DRIVER_CHECK = Setting(
    key="srm.original.driver.check.enabled",
    values=BOOLEAN,
    default=True,
    role="source",
    effect="planning",
    doc="Whether the flow waits while MirrorMaker's group has members.",
)
ORIGINAL_DRIVER_GROUP = Setting(
    key="group.id",
    values=OPTIONAL_TEXT,
    default=None,
    role="worker",
    effect="planning",
    doc="The group of MirrorMaker's workers, by default `<source>-mm2`. The flow waits while it has members.",
)
HEARTBEATS_INTERVAL = Setting(
    key="emit.heartbeats.interval.seconds",
    values=duration_s(1),
    default=5,
    role="heartbeat",
    effect="heartbeats",
    doc="How often a heartbeat is written.",
)
HEARTBEATS_KEY: Setting[HeartbeatsKey] = Setting(
    key="srm.heartbeats.key",
    values=choice(*get_args(HeartbeatsKey)),
    default="own",
    role="heartbeat",
    effect="heartbeats",
    doc="The flow that the key of a heartbeat names: this one, or the one in the opposite direction.",
)
FILTER_CLASSES = tuple(
    Setting(key=key, values=TEXT, default=None, role="source", effect="none", why="filters are allow and deny lists")
    for key in ("topic.filter.class", "config.property.filter.class")
)
INCREMENTAL_CONFIGS = Setting(
    key="use.incremental.alter.configs",
    values=TEXT,
    default=None,
    role="source",
    effect="none",
    why="configs are always altered one by one",
)
METRICS_ALIAS = Setting(
    key="add.source.alias.to.metrics",
    values=TEXT,
    default=None,
    role="source",
    effect="none",
    why="metrics always carry the source",
)
POLL_TIMEOUT = Setting(
    key="consumer.poll.timeout.ms",
    values=COUNT,
    default=None,
    role="source",
    effect="none",
    why="fetches wait as long as the broker allows",
)
ADMIN_TIMEOUT = Setting(
    key="admin.timeout.ms",
    values=COUNT,
    default=None,
    role="source",
    effect="none",
    why="requests end after ten seconds",
)
FORWARDING_ADMIN = Setting(
    key="forwarding.admin.class",
    values=TEXT,
    default=None,
    role="source",
    effect="none",
    why="topics are created by our own admin client",
)
AUTO_CREATION = Setting(
    key="disable.source.topic.auto.creation",
    values=TEXT,
    default=None,
    role="source",
    effect="none",
    why="no request of ours ever creates a topic",
)
CLUSTER_ALIASES = tuple(
    Setting(key=key, values=TEXT, default=None, role="source", effect="none", why="the flow's name says both")
    for key in ("source.cluster.alias", "target.cluster.alias")
)
