"""Dialects of configuration files: the same keys with other defaults and other rules for prefixes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.config.settings.global_keys import works_globally
from replication.domain.settings.choices import DialectName
from replication.domain.settings.registry.all_settings import find_setting
from replication.domain.settings.registry.consumer_groups import GROUPS, SYNC_GROUP_OFFSETS
from replication.domain.settings.registry.flow import CLUSTERS
from replication.domain.settings.registry.topic_filters import TOPICS, TOPICS_EXCLUDE
from replication.domain.settings.setting import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """`defaults` holds the values by key that the dialect has instead of a setting's own default.

    `levels`: `workers.`, `connectors.` and `.worker.` exist, and most keys have no effect without one of them.
    `keeps_disabled`: a flow with its own `enabled` is part of the configuration although it is false.
    """

    name: DialectName
    defaults: Mapping[str, str] = field(default_factory=dict)
    levels: bool = False
    keeps_disabled: bool = False


MM2 = Dialect(name="mm2")
# the original replicates nothing until srm-control allows it
SRM = Dialect(name="srm", defaults={TOPICS.key: "", GROUPS.key: ""}, levels=True)
OPERATOR = Dialect(name="operator", defaults={SYNC_GROUP_OFFSETS.key: "true"}, keeps_disabled=True)
# Kafka 4's default is narrower, as its rule for internal topics is
KAFKA4_DEFAULTS = {TOPICS_EXCLUDE.key: r"mm2.*\.internal, .*\.replica, __.*"}

DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in (MM2, SRM, OPERATOR)}

_RESOURCE = re.compile(r"^\s*(kind:\s*Kafka(Connector|MirrorMaker2)|class:.*Mirror\w+Connector)\b", re.MULTILINE)
_KEY = re.compile(r"^[ \t]*([^#!=:\s][^=:\s]*)[ \t]*[=:]", re.MULTILINE)
_SRM_PREFIXES = ("workers.", "connectors.", "streams.replication.manager.")


def default_of(setting: Setting[object], dialect: str) -> str | None:
    """Return a setting's default in a dialect as a file spells it; None where there is none."""
    text = DIALECTS[dialect].defaults.get(setting.key, setting.default_text)
    return None if setting.default is None and not text else text


def likely_dialect(text: str) -> Dialect | None:
    """Return the dialect that a file's text shows; None where the text fits more than one."""
    if _RESOURCE.search(text):
        return OPERATOR
    keys = _KEY.findall(text)
    if CLUSTERS.key not in keys:
        return None
    if any(key.startswith(_SRM_PREFIXES) or ("->" in key and ".worker." in key) for key in keys):
        return SRM
    return MM2 if any(find_setting(key) is not None and not works_globally(key) for key in keys) else None
