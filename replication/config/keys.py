"""The keys MirrorMaker 2 knows, and what each does here.

`effect` says where a value works. "none" and "not yet" are told to the author of the file with `why`, so that no key is
ever ignored in silence. Defaults are applied where a setting is used; here are only those that belong to the file.
"""

from dataclasses import dataclass
from typing import Literal

from replication.config.client_keys import CONNECTION_KEYS

Role = Literal["flow", "source", "checkpoint", "heartbeat", "worker", "manager"]
Effect = Literal["flow", "planning", "engine", "topic creation", "heartbeats", "not yet", "none"]
ValueKind = Literal["text", "boolean", "count", "list", "patterns", "number", "location", "converter"]


@dataclass(frozen=True, slots=True)
class KeySpec:
    """One key. `role` tells whose setting it is: the flow's own fields, a connector's, or the Connect worker's."""

    name: str
    role: Role
    effect: Effect
    kind: ValueKind = "text"
    why: str = ""


def _each(names: str, role: Role, effect: Effect, kind: ValueKind = "text", why: str = "") -> tuple[KeySpec, ...]:
    return tuple(KeySpec(name, role, effect, kind, why) for name in names.split())


_NO_CONNECT = "there are no Kafka Connect workers here"
_GROUPS = "consumer groups are not translated yet"

KEYS: tuple[KeySpec, ...] = (
    *_each("enabled", "flow", "flow", "boolean"),
    *_each("emit.heartbeats.enabled", "flow", "heartbeats", "boolean"),
    *_each("tasks.max", "flow", "planning", "count"),
    *_each("topics topics.exclude", "flow", "planning", "patterns"),
    *_each("groups groups.exclude", "flow", "not yet", "patterns", _GROUPS),
    *_each("replication.policy.class replication.policy.separator", "flow", "planning"),
    *_each("srm.replication.policy.template srm.gap.policy", "flow", "planning"),
    *_each("srm.start", "flow", "engine"),
    *_each("srm.start.offsets srm.throttle.rate srm.throttle.schedule", "source", "engine"),
    *_each("srm.audit.schedule", "source", "flow"),
    *_each("srm.compression srm.rebatching srm.linger.ms", "source", "engine"),
    *_each("srm.loop.protection srm.loop.origins", "source", "engine"),
    *_each("srm.transaction.interval.ms transaction.boundary.interval.ms", "source", "engine", "count"),
    *_each("srm.errors.policy errors.tolerance errors.deadletterqueue.topic.name", "source", "engine"),
    *_each("errors.retry.timeout errors.retry.delay.max.ms", "source", "engine", "number"),
    *_each("srm.errors.deadletters.unmasked", "source", "engine", "boolean"),
    *_each("transforms", "flow", "engine"),
    *_each("copy.source.offset.in.header.enabled", "source", "engine", "boolean"),
    *_each("exactly.once.source.support", "worker", "engine"),
    *_each("replication.factor", "source", "topic creation", "number"),
    *_each("offset-syncs.topic.replication.factor", "source", "topic creation", "number"),
    *_each("offset-syncs.topic.location", "source", "planning", "location"),
    *_each("offset.lag.max", "source", "engine", "count"),
    *_each("heartbeats.replication.enabled", "source", "planning", "boolean"),
    *_each("refresh.topics.enabled", "source", "planning", "boolean"),
    *_each("srm.replication.policy srm.internal.topics.rule", "source", "planning"),
    *_each("replication.policy.internal.topic.separator.enabled", "source", "planning", "boolean"),
    *_each("refresh.topics.interval.seconds", "source", "planning", "count"),
    *_each("config.properties.exclude", "source", "planning", "patterns"),
    *_each("srm.original.driver.check.enabled", "source", "planning", "boolean"),
    *_each("heartbeats.topic.replication.factor", "source", "topic creation", "number"),
    *_each("emit.heartbeats.interval.seconds", "heartbeat", "heartbeats", "count"),
    *_each("emit.offset-syncs.enabled", "source", "engine", "boolean"),
    *_each("sync.topic.configs.enabled sync.topic.acls.enabled srm.acl.prune", "source", "planning", "boolean"),
    *_each("sync.topic.configs.interval.seconds sync.topic.acls.interval.seconds", "source", "planning", "count"),
    *_each("use.defaults.from", "source", "planning", "location"),
    *_each("use.incremental.alter.configs", "source", "none", why="configs are always altered one by one"),
    *_each("topic.filter.class config.property.filter.class", "source", "none", why="filters are allow and deny lists"),
    *_each("add.source.alias.to.metrics", "source", "none", why="metrics always carry the source"),
    *_each("consumer.poll.timeout.ms", "source", "none", "count", why="fetches wait as long as the broker allows"),
    *_each("admin.timeout.ms", "source", "none", "count", why="requests end after ten seconds"),
    *_each("forwarding.admin.class", "source", "none", why="topics are created by our own admin client"),
    *_each("emit.checkpoints.enabled refresh.groups.enabled", "checkpoint", "not yet", "boolean", _GROUPS),
    *_each("sync.group.offsets.enabled", "checkpoint", "not yet", "boolean", _GROUPS),
    *_each("emit.checkpoints.interval.seconds", "checkpoint", "not yet", "count", _GROUPS),
    *_each("refresh.groups.interval.seconds", "checkpoint", "not yet", "count", _GROUPS),
    *_each("sync.group.offsets.interval.seconds", "checkpoint", "not yet", "count", _GROUPS),
    *_each("checkpoints.topic.replication.factor", "checkpoint", "not yet", "number", _GROUPS),
    *_each("group.filter.class", "checkpoint", "none", why="filters are allow and deny lists"),
    *_each("key.converter value.converter header.converter", "worker", "none", "converter", "bytes stay bytes"),
    *_each("offset.storage.replication.factor", "worker", "topic creation", "number"),
    *_each("config.storage.replication.factor status.storage.replication.factor", "worker", "topic creation", "number"),
    *_each("offset.storage.partitions status.storage.partitions", "worker", "topic creation", "count"),
    *_each("group.id", "worker", "planning"),  # of the original driver, whose live members block a flow's start
    *_each(
        "offset.storage.topic config.storage.topic status.storage.topic",
        "worker",
        "none",
        why="these topics keep the names that MirrorMaker gives them",
    ),
    *_each(
        "offset.flush.interval.ms offset.flush.timeout.ms",
        "worker",
        "none",
        "count",
        "positions are committed each second",
    ),
    *_each(
        "scheduled.rebalance.max.delay.ms rebalance.timeout.ms session.timeout.ms heartbeat.interval.ms "
        "worker.sync.timeout.ms worker.unsync.backoff.ms task.shutdown.graceful.timeout.ms "
        "connect.start.task.timeout.ms inter.worker.key.ttl.ms",
        "worker",
        "none",
        "count",
        _NO_CONNECT,
    ),
    *_each(
        "connect.protocol topic.tracking.enable topic.creation.enable plugin.path plugin.discovery "
        "connector.client.config.override.policy tasks.max.enforce predicates name connector.class "
        "inter.worker.key.generation.algorithm inter.worker.signature.algorithm "
        "inter.worker.verification.algorithms",
        "worker",
        "none",
        why=_NO_CONNECT,
    ),
    *_each(
        "errors.log.enable errors.log.include.messages",
        "source",
        "none",
        why="each refused record is logged with its offset, never with its content",
    ),
    *_each("disable.source.topic.auto.creation", "source", "none", why="no request of ours ever creates a topic"),
    *_each("source.cluster.alias target.cluster.alias", "source", "none", why="the flow's name says both"),
    *_each("clusters", "manager", "flow", "list"),
    *_each("config.providers", "manager", "none", "list", "the providers file, env and dir are always there"),
    *_each("metrics.period", "manager", "none", why="raw metrics are written every five seconds"),
    *_each(
        "metrics.topic.replication.factor control.topic.replication.factor",
        "manager",
        "none",
        why="the flow's own topics take offset.storage.replication.factor",
    ),
    *_each(
        "metrics.topic.creation.for.possible.flows.enabled",
        "manager",
        "none",
        why="metrics topics are created with their flow",
    ),
    *_each("srm.internal.topic.exclude.enable", "manager", "none", why="it is so; see srm.internal.topics.rule"),
    *_each("cloudera.reverse.checkpointing.enabled", "checkpoint", "not yet", "boolean", _GROUPS),
    *_each(
        "colocated.cluster.alias external_kafka_accounts securestorage.password kerberos.auth.enable ssl_enabled",
        "manager",
        "none",
        why="every cluster is described by its own keys",
    ),
    *_each("mm.metrics.servlet.enable", "manager", "none", why="metrics are served by the service"),
    *_each(
        "dedicated.mode.enable.internal.rest listeners rest.advertised.listener rest.advertised.host.name "
        "rest.advertised.port rest.host.name rest.port admin.listeners mm.rest.protocol",
        "manager",
        "none",
        why="REST is served by the service",
    ),
    *_each(
        "metric.reporters metrics.num.samples metrics.sample.window.ms metrics.recording.level "
        "auto.include.jmx.reporter",
        "manager",
        "none",
        why="metrics are written to Kafka and served by the service",
    ),
)

# settings of Kafka clients by prefix; the exact keys above are looked up first, `admin.timeout.ms` is one of them
CLIENT_PREFIXES = (
    "source.cluster.",
    "target.cluster.",
    "source.consumer.",
    "source.producer.",
    "source.admin.",
    "target.consumer.",
    "target.producer.",
    "target.admin.",
    "producer.override.",
    "consumer.override.",
    "admin.override.",
    "consumer.",
    "producer.",
    "admin.",
)
SILENT_PREFIXES = (
    "config.providers.",
    "listeners.https.",
    "transforms.",
    "predicates.",
    "replication.policy.",
    "offset.storage.",
    "config.storage.",
    "status.storage.",
    "streams.replication.manager.",
    "metrics.jetty.server.",
)
SECURITY_PREFIXES = ("security.", "sasl.", "ssl.")
OLD_SPELLINGS = {
    "topics.whitelist": "topics",
    "topics.blacklist": "topics.exclude",
    "groups.whitelist": "groups",
    "groups.blacklist": "groups.exclude",
    "config.properties.blacklist": "config.properties.exclude",
}
RESERVED_ALIASES = frozenset({"workers", "connectors", "source", "target", "admin", "producer", "consumer"})

_BY_NAME = {spec.name: spec for spec in KEYS}


def find_key(name: str) -> KeySpec | None:
    """The table's row, by its present spelling."""
    return _BY_NAME.get(name)


def is_client_security(name: str) -> bool:
    """Whether a key tells where a cluster is and who we are there (MirrorClientConfig.CLIENT_CONFIG_DEF)."""
    return name == "bootstrap.servers" or name.startswith(SECURITY_PREFIXES)


def is_connection_key(name: str) -> bool:
    """Whether a key belongs to how a cluster is reached, its limits included."""
    return is_client_security(name) or name in CONNECTION_KEYS


def known_names() -> tuple[str, ...]:
    """All exact names, for suggestions."""
    security = (
        "bootstrap.servers security.protocol sasl.mechanism sasl.jaas.config ssl.truststore.location "
        "ssl.truststore.type ssl.truststore.certificates ssl.truststore.password ssl.keystore.location "
        "ssl.keystore.type ssl.keystore.key ssl.keystore.certificate.chain ssl.keystore.password ssl.key.password "
        "ssl.endpoint.identification.algorithm ssl.enabled.protocols ssl.cipher.suites sasl.kerberos.service.name "
        "sasl.oauthbearer.token.endpoint.url sasl.oauthbearer.scope sasl.login.callback.handler.class "
        "sasl.oauthbearer.client.credentials.client.id sasl.oauthbearer.client.credentials.client.secret"
    )
    return (*_BY_NAME, *OLD_SPELLINGS, *sorted(CONNECTION_KEYS), *security.split())
