"""Composition root of `srm adopt`: opens the clients that the takeover of one flow needs."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from replication.config.flows.model import ClusterDefinition, FlowDefinition, ReplicationConfig
from replication.connectors.takeover import ClusterPorts, Takeover, TakeoverRequest
from replication.domain.identifiers import FlowId
from replication.domain.names.replication_policy import policy_for
from replication.domain.plan.slot import ClusterClient
from replication.domain.settings.registry.records import OFFSET_SYNCS_LOCATION
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.ports.produce.slot_fence import SlotFence
from replication.wire.produce.slot_fence import WireSlotFence
from srm_cli.errors import OperatorError


def chosen_flows(config: ReplicationConfig, wanted: str | None) -> list[FlowDefinition]:
    """Return the enabled flows, or the one named `A->B`. Raises OperatorError naming the available flows."""
    enabled = [flow for flow in config.flows if flow.enabled]
    names = [f"{flow.source}->{flow.target}" for flow in enabled]
    if wanted is not None:
        enabled = [flow for flow, name in zip(enabled, names, strict=True) if name == wanted]
    if not enabled:
        available = f"enabled flows: {', '.join(names)}" if names else "the file enables no flow"
        raise OperatorError(f"there is no flow {wanted or ''} to take over: {available}".replace("  ", " "))
    return enabled


@contextmanager
def open_takeover(config: ReplicationConfig, flow: FlowDefinition) -> Iterator[Takeover]:
    """Yield a takeover with open clients. Raises the errors of the clusters."""
    clusters = {cluster.alias: cluster for cluster in config.clusters}
    policy = policy_for(
        flow.policy.kind,
        separator=flow.policy.separator,
        template=flow.policy.template,
        source=flow.source,
        target=flow.target,
    )
    settings = flow.connectors.get("source", {})
    order = TakeoverRequest(
        flow=FlowId(flow.source, flow.target),
        policy=policy,
        separator=flow.policy.separator,
        syncs_on_target=OFFSET_SYNCS_LOCATION.read(settings) == "target",
        tasks_max=flow.tasks_max,
    )
    with ExitStack() as stack:
        source, target = (_cluster_ports(clusters[alias], stack) for alias in (flow.source, flow.target))
        yield Takeover(order, source, target)


@contextmanager
def open_fence(config: ReplicationConfig, flow: FlowDefinition) -> Iterator[SlotFence]:
    """Yield a fence for the slots of a flow; it connects at its first call."""
    target = next(cluster for cluster in config.clusters if cluster.alias == flow.target)
    fence = WireSlotFence(_client(target))
    try:
        yield fence
    finally:
        fence.close()


def _client(cluster: ClusterDefinition) -> ClusterClient:
    return ClusterClient(alias=cluster.alias, bootstrap=cluster.bootstrap, client={**cluster.client, **cluster.secrets})


def _cluster_ports(cluster: ClusterDefinition, stack: ExitStack) -> ClusterPorts:
    client = _client(cluster)
    admin, log, producer = open_admin(client), KafkaRecordLog(client), ConfluentRecordProducer(client)
    for each in (admin, log, producer):
        stack.callback(each.close)
    return ClusterPorts(admin=admin, log=log, producer=producer)
