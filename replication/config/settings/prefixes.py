"""Names of keys beside the settings: prefixes of clients, old spellings, keys of a cluster's connection."""

from replication.config.settings.client_keys import CONNECTION_KEYS
from replication.domain.settings.registry.all_settings import SETTINGS, find_setting
from replication.domain.settings.registry.consumer_groups import GROUPS, GROUPS_EXCLUDE
from replication.domain.settings.registry.topic_filters import CONFIG_PROPERTIES_EXCLUDE, TOPICS, TOPICS_EXCLUDE
from replication.domain.settings.setting import Setting

# settings of Kafka clients by prefix; exact keys come first: `admin.timeout.ms` is a setting
BOOTSTRAP = "bootstrap.servers"
SOURCE_CLUSTER = "source.cluster."
TARGET_CLUSTER = "target.cluster."
CLUSTER_PREFIXES = (SOURCE_CLUSTER, TARGET_CLUSTER)
CLIENT_PREFIXES = (
    *CLUSTER_PREFIXES,
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
_CLIENTS = ("consumer", "producer")
SECURITY_KEYS = (
    BOOTSTRAP,
    "security.protocol",
    "sasl.mechanism",
    "sasl.jaas.config",
    "ssl.truststore.location",
    "ssl.truststore.type",
    "ssl.truststore.certificates",
    "ssl.truststore.password",
    "ssl.keystore.location",
    "ssl.keystore.type",
    "ssl.keystore.key",
    "ssl.keystore.certificate.chain",
    "ssl.keystore.password",
    "ssl.key.password",
    "ssl.endpoint.identification.algorithm",
    "ssl.enabled.protocols",
    "ssl.cipher.suites",
    "sasl.kerberos.service.name",
    "sasl.oauthbearer.token.endpoint.url",
    "sasl.oauthbearer.scope",
    "sasl.login.callback.handler.class",
    "sasl.oauthbearer.client.credentials.client.id",
    "sasl.oauthbearer.client.credentials.client.secret",
)
SECURITY_PREFIXES = ("security.", "sasl.", "ssl.")
OLD_SPELLINGS = {
    "topics.whitelist": TOPICS.key,
    "topics.blacklist": TOPICS_EXCLUDE.key,
    "groups.whitelist": GROUPS.key,
    "groups.blacklist": GROUPS_EXCLUDE.key,
    "config.properties.blacklist": CONFIG_PROPERTIES_EXCLUDE.key,
}
RESERVED_ALIASES = frozenset({"workers", "connectors", "source", "target", "admin", "producer", "consumer"})


def find_key(name: str) -> Setting[object] | None:
    """Return the setting of this name; those of Kafka clients are found by their prefixes alone."""
    setting = find_setting(name)
    return None if setting is None or setting.role in _CLIENTS else setting


def is_client_security(name: str) -> bool:
    """Return whether a key says where a cluster is and who we are there (MirrorClientConfig.CLIENT_CONFIG_DEF)."""
    return name == BOOTSTRAP or name.startswith(SECURITY_PREFIXES)


def is_connection_key(name: str) -> bool:
    """Return whether a key belongs to the connection to a cluster, its limits included."""
    return is_client_security(name) or name in CONNECTION_KEYS


def is_client_security_behind_prefix(name: str) -> bool:
    """Return whether a key is one of these for one client or one side of a flow: `consumer.sasl.mechanism`."""
    prefix = max((each for each in CLIENT_PREFIXES if name.startswith(each)), key=len, default="")
    return prefix != "" and is_client_security(name.removeprefix(prefix))


def known_names() -> tuple[str, ...]:
    """Return all exact names, for suggestions."""
    ours = (setting.key for setting in SETTINGS if setting.role not in _CLIENTS)
    return (*ours, *OLD_SPELLINGS, *sorted(CONNECTION_KEYS), *SECURITY_KEYS)
