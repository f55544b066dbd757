"""Creates an internal topic that a writer misses."""

from replication.domain.errors import AuthorizationError, ConfigurationError
from replication.domain.names.internal_topic import InternalTopic
from replication.ports.admin import ClusterAdmin, NewTopic


def create_if_missing(admin: ClusterAdmin, topic: InternalTopic, name: str, replication_factor: int) -> None:
    """Create the topic, with at most as many replicas as the cluster has brokers.

    Raises AuthorizationError or ConfigurationError with the remedy if the cluster refuses it.
    """
    if name in admin.describe_topics([name]):
        return
    factor = min(replication_factor, max(1, admin.describe_cluster().brokers))
    wanted = NewTopic(name=name, partitions=topic.partitions, replication_factor=factor, configs=topic.configs)
    for refused in admin.create_topics([wanted]):
        kind = AuthorizationError if "AUTHORIZATION" in refused.code else ConfigurationError
        raise kind(
            f"cluster {admin.alias} refused to create the topic {name}: {refused.text} ({refused.code}); "
            f"grant {admin.principal} CREATE, READ, WRITE and DESCRIBE on it, or create it",
            cluster=admin.alias,
            topic=name,
        )
