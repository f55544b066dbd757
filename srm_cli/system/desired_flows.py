"""A properties file's flows and clusters as the driver takes them, for commands that look at clusters by themselves."""

from replication.config import FlowDefinition, ReplicationConfig
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.plan.slot import ClusterClient


def desired_flow(flow: FlowDefinition) -> DesiredFlow:
    policy = flow.policy
    return DesiredFlow(
        source=flow.source,
        enabled=flow.enabled,
        heartbeats=flow.heartbeats,
        tasks_max=flow.tasks_max,
        delivery=flow.delivery,
        policy=PolicyChoice(kind=policy.kind, separator=policy.separator, template=policy.template),
        topics=NamePatterns(allow=flow.topics_allow, deny=flow.topics_deny),
        groups=NamePatterns(allow=flow.groups_allow, deny=flow.groups_deny),
        start=flow.start,
        gap_policy=flow.gap_policy,
        connectors=ConnectorSettings(**flow.connectors),
    )


def cluster_clients(config: ReplicationConfig) -> dict[str, ClusterClient]:
    """By alias, secrets merged in."""
    return {
        cluster.alias: ClusterClient(
            alias=cluster.alias, bootstrap=cluster.bootstrap, client={**cluster.client, **cluster.secrets}
        )
        for cluster in config.clusters
    }
