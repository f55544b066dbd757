"""Opens a client with the adapters of real clusters."""

from collections.abc import Mapping

from replication.client.replication_client import ReplicationClient
from replication.domain.names.copy_topics import CopyTopics
from replication.domain.names.internal_topic import DEFAULT_SEPARATOR
from replication.domain.names.replication_policy import DefaultPolicy, ReplicationPolicy
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import KafkaClusterAdmin
from replication.kafka.copy_logs import KafkaCopyLogs
from replication.kafka.record_log import KafkaRecordLog


def connect(
    bootstrap_servers: str,
    *,
    alias: str,
    policy: ReplicationPolicy | None = None,
    separator: str = DEFAULT_SEPARATOR,
    syncs_on_target: bool = False,
    client: Mapping[str, str] | None = None,
) -> ReplicationClient:
    """Return a client of the cluster that the flows know by this alias.

    `policy` is that of the flows, by default `<source>.<topic>`; `separator` that of the names of internal topics.
    `syncs_on_target` says that the flows keep their offset syncs on this cluster; else the syncs here are those of the
    opposite flows, and are not read. `client` holds settings under Java's keys, such as `security.protocol` and
    `sasl.jaas.config`. Connects on the first call. Raises ConfigurationError.
    """
    servers = tuple(part.strip() for part in bootstrap_servers.split(",") if part.strip())
    cluster = ClusterClient(alias=alias, bootstrap=servers, client=dict(client or {}))

    def copy_logs(topics: CopyTopics) -> KafkaCopyLogs:
        return KafkaCopyLogs(None, cluster, topics)

    return ReplicationClient(
        KafkaClusterAdmin(cluster),
        KafkaRecordLog(cluster),
        copy_logs,
        policy or DefaultPolicy(separator),
        separator=separator,
        syncs_on_target=syncs_on_target,
    )
