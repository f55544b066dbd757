"""Settings of components that do not exist here: Connect workers, their REST servers, the manager's own services."""

from replication.domain.settings.setting import Setting, SettingRole
from replication.domain.settings.value_types import CONVERTER, COUNT, LIST, TEXT, ValueType

_NO_CONNECT = "there are no Kafka Connect workers here"


def _each(values: ValueType[object], role: SettingRole, why: str, keys: str) -> tuple[Setting[object], ...]:
    return tuple(
        Setting(key=key, values=values, default=None, role=role, effect="none", why=why) for key in keys.split()
    )


CONVERTERS = _each(CONVERTER, "worker", "bytes stay bytes", "key.converter value.converter header.converter")
OFFSET_FLUSH = _each(
    COUNT, "worker", "positions are committed each second", "offset.flush.interval.ms offset.flush.timeout.ms"
)
WORKER_TIMES = _each(
    COUNT,
    "worker",
    _NO_CONNECT,
    "rebalance.timeout.ms session.timeout.ms heartbeat.interval.ms "
    "worker.sync.timeout.ms worker.unsync.backoff.ms task.shutdown.graceful.timeout.ms "
    "connect.start.task.timeout.ms inter.worker.key.ttl.ms",
)
WORKER_TEXTS = _each(
    TEXT,
    "worker",
    _NO_CONNECT,
    "connect.protocol topic.tracking.enable topic.creation.enable plugin.path plugin.discovery "
    "connector.client.config.override.policy tasks.max.enforce predicates name connector.class "
    "inter.worker.key.generation.algorithm inter.worker.signature.algorithm inter.worker.verification.algorithms",
)
CONFIG_PROVIDERS = _each(LIST, "manager", "the providers file, env and dir are always there", "config.providers")
METRICS_PERIOD = _each(TEXT, "manager", "raw metrics are written every five seconds", "metrics.period")
METRICS_TOPICS = _each(
    TEXT,
    "manager",
    "metrics topics are created with their flow",
    "metrics.topic.creation.for.possible.flows.enabled",
)
INTERNAL_EXCLUDE = _each(TEXT, "manager", "it is so; see srm.internal.topics.rule", "srm.internal.topic.exclude.enable")
MANAGED_CLUSTERS = _each(
    TEXT,
    "manager",
    "every cluster is described by its own keys",
    "colocated.cluster.alias external_kafka_accounts securestorage.password kerberos.auth.enable ssl_enabled",
)
METRICS_SERVLET = _each(TEXT, "manager", "metrics are served by the service", "mm.metrics.servlet.enable")
REST_SERVERS = _each(
    TEXT,
    "manager",
    "REST is served by the service",
    "dedicated.mode.enable.internal.rest listeners rest.advertised.listener rest.advertised.host.name "
    "rest.advertised.port rest.host.name rest.port admin.listeners",
)
(REST_PROTOCOL,) = _each(
    TEXT,
    "manager",
    "REST is served by the service; srm driver --config applies it to the HTTP port of a driver",
    "mm.rest.protocol",
)
METRIC_REPORTERS = _each(
    TEXT,
    "manager",
    "metrics are written to Kafka and served by the service",
    "metric.reporters metrics.num.samples metrics.sample.window.ms metrics.recording.level auto.include.jmx.reporter",
)
