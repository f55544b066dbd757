"""The meaning, type and default of the keys of Kafka's clients that are no settings of ours.

Keys without effect have no default: `client_keys` says why. A test compares the defaults with those of the clients.
"""

from dataclasses import dataclass
from typing import get_args

from replication.config.security.client_security import SaslMechanism, SecurityProtocol
from replication.domain.settings.value_types import SettingKind

_STORES = ("JKS", "PKCS12", "PEM")


@dataclass(frozen=True, slots=True)
class ClientText:
    """The meaning of a key, the type of its values and its default; None: there is none."""

    doc: str
    kind: SettingKind = "text"
    default: str | None = None
    choices: tuple[str, ...] = ()


def _choice(choices: tuple[str, ...], default: str, doc: str) -> ClientText:
    return ClientText(doc, "choice", default, choices)


def _ms(doc: str, default: int | None = None) -> ClientText:
    return ClientText(doc, "milliseconds", None if default is None else str(default))


def _number(doc: str, default: int | None = None) -> ClientText:
    return ClientText(doc, "number", None if default is None else str(default))


def _flag(doc: str) -> ClientText:
    return ClientText(doc, "boolean")


def _list(doc: str, default: str | None = None) -> ClientText:
    return ClientText(doc, "list", default)


CONNECTION_TEXTS = {
    "bootstrap.servers": _list("brokers to connect to first, as host:port; they name all others"),
    "request.timeout.ms": _ms("longest wait for the answer to a request", 30_000),
    "connections.max.idle.ms": _ms("a connection without requests for this long is closed", 540_000),
    "reconnect.backoff.ms": _ms("first pause before another attempt to connect to a broker", 50),
    "reconnect.backoff.max.ms": _ms("longest pause between attempts to connect to a broker", 5_000),
    "metadata.max.age.ms": _ms("topics and leaders are asked for again after this time", 300_000),
    "send.buffer.bytes": _number("size of the socket's buffer for sending; -1 leaves it to the system", -1),
    "receive.buffer.bytes": _number("size of the socket's buffer for receiving; -1 leaves it to the system", -1),
    "socket.connection.setup.timeout.ms": _ms("first time limit for opening a connection", 10_000),
    "socket.connection.setup.timeout.max.ms": _ms("longest time limit for opening a connection", 30_000),
    "client.rack": ClientText("rack of the drivers; records are read from a follower in this rack"),
    "srm.protocol.version": ClientText(
        "newest Kafka release whose protocol is spoken; empty: that of the brokers", default=""
    ),
}

SECURITY_TEXTS = {
    "security.protocol": _choice(
        get_args(SecurityProtocol), "PLAINTEXT", "whether connections are encrypted (SSL) and log in (SASL)"
    ),
    "sasl.mechanism": _choice(get_args(SaslMechanism), "GSSAPI", "way to log in, if the protocol has SASL"),
    "sasl.jaas.config": ClientText("login module with its options, such as username and password"),
    "ssl.truststore.location": ClientText("file with the certificates of trusted authorities; without: the system's"),
    "ssl.truststore.type": _choice(_STORES, "JKS", "kind of the trust store"),
    "ssl.truststore.certificates": ClientText("certificates of trusted authorities as PEM text, in place of a file"),
    "ssl.truststore.password": ClientText("password of the trust store"),
    "ssl.keystore.location": ClientText("file with the client's certificate and private key"),
    "ssl.keystore.type": _choice(_STORES, "JKS", "kind of the key store"),
    "ssl.keystore.key": ClientText("private key of the client as PEM text, in place of a file"),
    "ssl.keystore.certificate.chain": ClientText("certificates of the client as PEM text, in place of a file"),
    "ssl.keystore.password": ClientText("password of the key store"),
    "ssl.key.password": ClientText("password of the private key"),
    "ssl.endpoint.identification.algorithm": ClientText(
        "https: the certificate must name the broker's host; empty: it need not", default="https"
    ),
    "ssl.enabled.protocols": _list("TLS versions that may be spoken; without: those of the system"),
    "ssl.cipher.suites": _list("cipher suites that may be used; without: those of the system"),
    "sasl.kerberos.service.name": ClientText("first part of the brokers' Kerberos principal, such as kafka"),
    "sasl.oauthbearer.token.endpoint.url": ClientText("address at which tokens are asked for (OAUTHBEARER)"),
    "sasl.oauthbearer.scope": ClientText("scope of the tokens that are asked for"),
    "sasl.login.callback.handler.class": ClientText("Kafka's class whose way to get tokens is followed (OAUTHBEARER)"),
    "sasl.oauthbearer.client.credentials.client.id": ClientText("id by which the client asks for tokens"),
    "sasl.oauthbearer.client.credentials.client.secret": ClientText("secret by which the client asks for tokens"),
}

_WITHOUT_EFFECT = {
    "client.id": ClientText("name of the client in logs, metrics and quotas of brokers"),
    "client.dns.lookup": ClientText("how several addresses of a name are used"),
    "retry.backoff.ms": _ms("first pause before a request is repeated"),
    "retry.backoff.max.ms": _ms("longest pause before a request is repeated"),
    "default.api.timeout.ms": _ms("time limit of calls that have no own one"),
    "metric.reporters": _list("Java classes that report metrics"),
    "metrics.num.samples": _number("samples from which a metric is calculated"),
    "metrics.sample.window.ms": _ms("time that a sample of a metric covers"),
    "metrics.recording.level": ClientText("finest level of metrics that are recorded"),
    "enable.metrics.push": _flag("send the client's metrics to the brokers"),
    "auto.include.jmx.reporter": _flag("report metrics by JMX, too"),
    "interceptor.classes": _list("Java classes that see records on their way"),
    "fetch.min.bytes": _number("least bytes of an answer to a fetch"),
    "max.poll.records": _number("most records that one poll returns"),
    "max.poll.interval.ms": _ms("longest time between two polls of a group's member"),
    "check.crcs": _flag("verify the checksums of records"),
    "allow.auto.create.topics": _flag("let the broker create a topic that is asked for"),
    "group.id": ClientText("consumer group of the client"),
    "group.instance.id": ClientText("lasting name of a member of the group"),
    "group.protocol": ClientText("protocol of the consumer group"),
    "group.remote.assignor": ClientText("broker's rule that divides partitions among members"),
    "session.timeout.ms": _ms("a member that is silent for this long leaves the group"),
    "heartbeat.interval.ms": _ms("time between two heartbeats of a member"),
    "partition.assignment.strategy": _list("rules that divide partitions among members"),
    "enable.auto.commit": _flag("commit offsets periodically"),
    "auto.commit.interval.ms": _ms("time between two such commits"),
    "exclude.internal.topics": _flag("leave Kafka's internal topics out of a subscription by pattern"),
    "key.deserializer": ClientText("Java class that reads keys"),
    "value.deserializer": ClientText("Java class that reads values"),
    "acks": ClientText("replicas that must have a batch before it is acknowledged"),
    "enable.idempotence": _flag("write each batch once, in order"),
    "max.in.flight.requests.per.connection": _number("requests to a broker without an answer, at most"),
    "retries": _number("how often a batch is sent again"),
    "delivery.timeout.ms": _ms("time limit until a batch is acknowledged"),
    "max.block.ms": _ms("longest wait for memory or metadata before a batch is sent"),
    "linger.ms": _ms("wait for more records before a batch is sent"),
    "batch.size": _number("most bytes of a batch"),
    "max.request.size": _number("most bytes of a request"),
    "buffer.memory": _number("bytes of records that may wait to be sent"),
    "transactional.id": ClientText("name by which Kafka fences older producers"),
    "transaction.timeout.ms": _ms("an open transaction of this age is aborted"),
    "key.serializer": ClientText("Java class that writes keys"),
    "value.serializer": ClientText("Java class that writes values"),
    "partitioner.class": ClientText("Java class that chooses the partition of a record"),
    "partitioner.ignore.keys": _flag("choose partitions without regard to keys"),
    "partitioner.adaptive.partitioning.enable": _flag("send more to partitions on faster brokers"),
    "partitioner.availability.timeout.ms": _ms("avoid a partition whose broker is silent for this long"),
    "metadata.max.idle.ms": _ms("forget a topic that was not used for this long"),
}

CLIENT_TEXTS = {**CONNECTION_TEXTS, **SECURITY_TEXTS, **_WITHOUT_EFFECT}
