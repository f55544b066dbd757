"""Settings of Kafka clients, and what each does here: our clients are not Java's.

A key that is not in the table has no effect, and its author is told so.
"""

from dataclasses import dataclass
from typing import Literal

ClientKind = Literal["connection", "consumer", "producer", "admin"]
ClientEffect = Literal["connection", "engine", "none"]


@dataclass(frozen=True, slots=True)
class ClientKey:
    """`connection` keys belong to a cluster (`<alias>.<key>`) and hold for all its clients, `engine` keys to a flow."""

    name: str
    kind: ClientKind
    effect: ClientEffect
    why: str = ""
    values: tuple[str, ...] = ()  # allowed ones; any number when empty


def _each(names: str, kind: ClientKind, effect: ClientEffect, why: str = "") -> tuple[ClientKey, ...]:
    return tuple(ClientKey(name, kind, effect, why) for name in names.split())


_RAW = "record batches are copied as they are"
_ALWAYS = "it is always so here"
_FETCHES = "fetches are sized by rate and round trip"
_RETRIES = "what may pass is tried again until it passes"

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
    ClientKey("isolation.level", "consumer", "engine", values=("read_uncommitted", "read_committed")),
    ClientKey("auto.offset.reset", "consumer", "engine", values=("earliest", "latest")),
    *_each("fetch.max.bytes max.partition.fetch.bytes fetch.max.wait.ms", "consumer", "engine"),
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
    ClientKey("compression.type", "producer", "engine", values=("none", "gzip", "snappy", "lz4", "zstd")),
    *_each("acks", "producer", "none", "it is always all"),
    *_each("enable.idempotence", "producer", "none", "it is always on"),
    *_each("max.in.flight.requests.per.connection", "producer", "none", "five batches per partition, in order"),
    *_each("retries delivery.timeout.ms max.block.ms", "producer", "none", _RETRIES + "; see errors.retry.timeout"),
    *_each("linger.ms", "producer", "none", "batches are there already; see srm.linger.ms"),
    *_each("batch.size max.request.size", "producer", "none", _RAW + "; see srm.rebatching"),
    *_each("buffer.memory", "producer", "none", "frames come from a pool of fixed size"),
    *_each("transactional.id", "producer", "none", "it names the slot, which is what fences its owners"),
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
CONNECTION_KEYS = frozenset(key.name for key in CLIENT_KEYS if key.effect == "connection")


def client_key(kind: ClientKind, name: str) -> ClientKey | None:
    """The row of a key of this kind of client, or of all kinds."""
    return _BY_KIND.get((kind, name)) or _BY_KIND.get(("connection", name))


def engine_keys(kind: ClientKind) -> tuple[ClientKey, ...]:
    """Those of a kind that reach the engine."""
    return tuple(key for key in CLIENT_KEYS if key.kind == kind and key.effect == "engine")
