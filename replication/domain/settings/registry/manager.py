"""Settings of the replication manager as a whole: which clusters its drivers and its metrics serve."""

from replication.domain.settings.setting import Setting, SettingRole
from replication.domain.settings.value_types import FACTOR, LIST, TEXT, ValueType

PREFIX = "streams.replication.manager."
DRIVER_TARGETS = Setting(
    key=f"{PREFIX}driver.target.cluster",
    values=LIST,
    default=(),
    role="manager",
    effect="flow",
    doc="The clusters into which this system copies; empty means all. Flows into other clusters are not enabled here, "
    "because another system copies them.",
)
SERVICE_TARGETS = Setting(
    key=f"{PREFIX}service.target.cluster",
    values=LIST,
    default=(),
    role="manager",
    effect="metrics",
    doc="The targets of this service: it counts their raw metrics, reports the flows into them and advertises itself "
    "there. Empty means the targets of all flows.",
)
REMOTE_TARGETS = Setting(
    key=f"{PREFIX}service.remote.target.cluster",
    values=LIST,
    default=(),
    role="manager",
    effect="metrics",
    doc="The clusters whose flows other services report: this service reads their advertisements there and asks them "
    "([remote services](remote-services.md)).",
)
ADVERTISEMENT_FACTOR = Setting(
    key=f"{PREFIX}service.remote.advertisement.topic.replication.factor",
    values=FACTOR,
    default=3,
    role="manager",
    effect="metrics",
    doc="The replication factor of the topic of advertisements when it is created, at most the number of brokers.",
)


def _each(values: ValueType[object], why: str, keys: str) -> tuple[Setting[object], ...]:
    role: SettingRole = "manager"
    return tuple(
        Setting(key=f"{PREFIX}{key}", values=values, default=None, role=role, effect="none", why=why)
        for key in keys.split()
    )


REPLICATION_CONFIGS = _each(TEXT, "import its value as Replication Configs", "config")
STREAMS_APPLICATION = _each(
    TEXT,
    "metrics are counted by Spark, not by Kafka Streams",
    "service.streams.replication.factor service.streams.cache.max.bytes.buffering service.streams.commit.interval.ms "
    "service.streams.application.connection.test.timeout",
)
