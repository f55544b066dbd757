"""Settings of Java's Kafka clients, and the effect of each on ours.

A key that is not in the table has no effect, and a note says so to the author of the file. Values of keys that reach
the engine are declared in `replication.domain.settings.registry.clients`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from replication.domain.settings.registry.all_settings import SETTINGS
from replication.domain.settings.value_types import CLIENT_NUMBER, KAFKA_VERSION, TEXT, ValueType

ClientKind = Literal["connection", "consumer", "producer", "admin"]
ClientEffect = Literal["connection", "engine", "none"]


@dataclass(frozen=True, slots=True)
class ClientKey:
    """`connection` keys belong to a cluster (`<alias>.<key>`) and hold for all its clients, `engine` keys to a flow."""

    name: str
    kind: ClientKind
    effect: ClientEffect
    why: str = ""


def _each(names: str, kind: ClientKind, effect: ClientEffect, why: str = "") -> tuple[ClientKey, ...]:
    return tuple(ClientKey(name, kind, effect, why) for name in names.split())


def _of_engine(kind: ClientKind) -> tuple[ClientKey, ...]:
    names = (setting.key.removeprefix(f"{kind}.") for setting in SETTINGS if setting.role == kind)
    return tuple(ClientKey(name, kind, "engine") for name in names)


_RAW = "record batches are copied as they are"
_ALWAYS = "checksums are always checked"
_RETRIES = "errors that may pass are retried until they pass"

CLIENT_KEYS: tuple[ClientKey, ...] = (
    *_each(
        "request.timeout.ms connections.max.idle.ms reconnect.backoff.ms reconnect.backoff.max.ms "
        "metadata.max.age.ms send.buffer.bytes receive.buffer.bytes socket.connection.setup.timeout.ms "
        "socket.connection.setup.timeout.max.ms client.rack srm.protocol.version",
        "connection",
        "connection",
    ),
    *_each("client.id", "connection", "none", "clients are named after flow and slot; give quotas to users"),
    *_each("client.dns.lookup", "connection", "none", "all addresses of a name are tried"),
    *_each("retry.backoff.ms retry.backoff.max.ms", "connection", "none", _RETRIES),
    *_each("default.api.timeout.ms", "connection", "none", "admin requests end after ten seconds"),
    *_each(
        "metric.reporters metrics.num.samples metrics.sample.window.ms metrics.recording.level enable.metrics.push "
        "auto.include.jmx.reporter",
        "connection",
        "none",
        "metrics are written to Kafka and served by the service",
    ),
    *_each("interceptor.classes", "connection", "none", "Java classes cannot be loaded here; see transforms"),
    *_of_engine("consumer"),
    *_each("fetch.min.bytes", "consumer", "none", "a fetch answers with the first byte"),
    *_each("max.poll.records max.poll.interval.ms", "consumer", "none", _RAW),
    *_each("check.crcs", "consumer", "none", _ALWAYS),
    *_each("allow.auto.create.topics", "consumer", "none", "no request of ours creates a topic"),
    *_each(
        "group.id group.instance.id group.protocol group.remote.assignor session.timeout.ms heartbeat.interval.ms "
        "partition.assignment.strategy enable.auto.commit auto.commit.interval.ms exclude.internal.topics",
        "consumer",
        "none",
        "there is no consumer group: slots own partitions",
    ),
    *_each("key.deserializer value.deserializer", "consumer", "none", _RAW),
    *_of_engine("producer"),
    *_each("acks", "producer", "none", "it is always all"),
    *_each("enable.idempotence", "producer", "none", "it is always on"),
    *_each("max.in.flight.requests.per.connection", "producer", "none", "five batches per partition, in order"),
    *_each("retries delivery.timeout.ms max.block.ms", "producer", "none", _RETRIES + "; see errors.retry.timeout"),
    *_each("linger.ms", "producer", "none", "records arrive in batches; see srm.linger.ms"),
    *_each("batch.size max.request.size", "producer", "none", _RAW + "; see srm.rebatching"),
    *_each("buffer.memory", "producer", "none", "frames come from a pool of fixed size"),
    *_each("transactional.id", "producer", "none", "it names the slot, which fences older owners of the slot"),
    *_each("transaction.timeout.ms", "producer", "none", "transactions are short, see exactly.once.source.support"),
    *_each(
        "key.serializer value.serializer partitioner.class partitioner.ignore.keys "
        "partitioner.adaptive.partitioning.enable partitioner.availability.timeout.ms",
        "producer",
        "none",
        _RAW,
    ),
    *_each("metadata.max.idle.ms", "producer", "none", "only topics of the plan are asked for"),
)
_BY_KIND = {(key.kind, key.name): key for key in CLIENT_KEYS}
_CONNECTION_VALUES: Mapping[str, ValueType[object]] = {"client.rack": TEXT, "srm.protocol.version": KAFKA_VERSION}
CONNECTION_KEYS = frozenset(key.name for key in CLIENT_KEYS if key.effect == "connection")


def client_names(kind: ClientKind) -> tuple[str, ...]:
    """Return the known keys of this kind of client, for suggestions."""
    return tuple(key.name for key in CLIENT_KEYS if key.kind in (kind, "connection"))


def client_key(kind: ClientKind, name: str) -> ClientKey | None:
    """Return the row of a key of this kind of client, or of all kinds."""
    return _BY_KIND.get((kind, name)) or _BY_KIND.get(("connection", name))


def connection_values(name: str) -> ValueType[object] | None:
    """Return the type of the values of a key of the connection; None for keys of security and without effect."""
    return _CONNECTION_VALUES.get(name, CLIENT_NUMBER) if name in CONNECTION_KEYS else None
