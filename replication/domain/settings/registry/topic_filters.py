"""Settings that choose what is copied: topics, their configs, and what counts as internal."""

from typing import get_args

from replication.domain.names.internal_topic_filter import InternalTopicRule
from replication.domain.plan.topic_config import EXCLUDED_CONFIGS
from replication.domain.plan.topic_plan import DEFAULT_HEARTBEAT_HOPS
from replication.domain.settings.choices import Location
from replication.domain.settings.setting import Setting
from replication.domain.settings.value_types import BOOLEAN, COUNT, PATTERNS, choice

TOPICS = Setting(
    key="topics",
    values=PATTERNS,
    default=(".*",),
    role="flow",
    effect="planning",
    doc="The topics to copy. The default of the `srm` dialect is empty: nothing is copied until topics are allowed.",
)
TOPICS_EXCLUDE = Setting(
    key="topics.exclude",
    values=PATTERNS,
    default=(r".*[\-\.]internal", r".*\.replica", "__.*"),
    role="flow",
    effect="planning",
    doc="The topics not to copy; it beats `topics`. Internal topics are never copied.",
)
INTERNAL_TOPICS_RULE: Setting[InternalTopicRule] = Setting(
    key="srm.internal.topics.rule",
    values=choice(*get_args(InternalTopicRule)),
    default="srm",
    role="source",
    effect="planning",
    doc="Which topics are internal and never copied. `kafka4` copies other programs' `*.internal`.",
)
INTERNAL_SEPARATOR = Setting(
    key="replication.policy.internal.topic.separator.enabled",
    values=BOOLEAN,
    default=True,
    role="source",
    effect="planning",
    change="restart",
    doc="Whether internal topics are named with `replication.policy.separator`; otherwise with a dot.",
)
HEARTBEATS_REPLICATION = Setting(
    key="heartbeats.replication.enabled",
    values=BOOLEAN,
    default=True,
    role="source",
    effect="planning",
    doc="Whether the flow copies the heartbeats that are written to its source.",
)
HEARTBEATS_HOPS = Setting(
    key="srm.heartbeats.max.hops",
    values=COUNT,
    default=DEFAULT_HEARTBEAT_HOPS,
    role="source",
    effect="planning",
    doc="The most clusters that heartbeats are copied through. Between clusters that replicate in cycles, each further "
    "hop multiplies the number of heartbeats topics.",
)
CONFIG_PROPERTIES_EXCLUDE = Setting(
    key="config.properties.exclude",
    values=PATTERNS,
    default=EXCLUDED_CONFIGS,
    role="source",
    effect="planning",
    doc="The topic configs that remote topics do not take over.",
)
USE_DEFAULTS_FROM: Setting[Location] = Setting(
    key="use.defaults.from",
    values=choice(*get_args(Location)),
    default="target",
    role="source",
    effect="planning",
    doc="Whose defaults hold for topic configs without a value. `source` writes the source's to remote topics.",
)
