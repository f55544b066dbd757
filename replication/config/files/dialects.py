"""Dialects of configuration files: the same keys with other defaults and other rules for prefixes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.domain.settings.registry.consumer_groups import GROUPS, SYNC_GROUP_OFFSETS
from replication.domain.settings.registry.topic_filters import TOPICS, TOPICS_EXCLUDE


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """`defaults` holds the values by key that the dialect has instead of a setting's own default.

    `levels`: `workers.`, `connectors.` and `.worker.` exist, and most keys have no effect without one of them.
    """

    name: str
    defaults: Mapping[str, str] = field(default_factory=dict)
    levels: bool = False


MM2 = Dialect(name="mm2")
# the original replicates nothing until srm-control allows it
SRM = Dialect(name="srm", defaults={TOPICS.key: "", GROUPS.key: ""}, levels=True)
OPERATOR = Dialect(name="operator", defaults={SYNC_GROUP_OFFSETS.key: "true"})
# Kafka 4's default is narrower, as its rule for internal topics is
KAFKA4_DEFAULTS = {TOPICS_EXCLUDE.key: r"mm2.*\.internal, .*\.replica, __.*"}

DIALECTS = {dialect.name: dialect for dialect in (MM2, SRM, OPERATOR)}
