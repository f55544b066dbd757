"""Composition root: one flow of a properties file with the clients that taking it over needs."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from replication.config.model import ClusterDefinition, FlowDefinition, ReplicationConfig
from replication.connectors.takeover import FlowToTake, Side, Takeover
from replication.domain.identifiers import FlowId
from replication.domain.naming import policy_for
from replication.domain.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import RecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.ports.slot_fence import SlotFence
from replication.wire.slot_fence import WireSlotFence
from srm_cli.errors import OperatorError


def chosen_flows(config: ReplicationConfig, wanted: str | None) -> list[FlowDefinition]:
    """The enabled flows, or the one named `A->B`. OperatorError names what there is."""
    enabled = [flow for flow in config.flows if flow.enabled]
    names = [f"{flow.source}->{flow.target}" for flow in enabled]
    if wanted is not None:
        enabled = [flow for flow, name in zip(enabled, names, strict=True) if name == wanted]
    if not enabled:
        there_are = f"enabled are {', '.join(names)}" if names else "the file enables none"
        raise OperatorError(f"there is no flow {wanted or ''} to take over: {there_are}".replace("  ", " "))
    return enabled


@contextmanager
def open_takeover(config: ReplicationConfig, flow: FlowDefinition) -> Iterator[Takeover]:
    """A takeover with open clients; raises what the clusters answer."""
    clusters = {cluster.alias: cluster for cluster in config.clusters}
    policy = policy_for(
        flow.policy.kind,
        separator=flow.policy.separator,
        template=flow.policy.template,
        source=flow.source,
        target=flow.target,
    )
    settings = flow.connectors.get("source", {})
    order = FlowToTake(
        flow=FlowId(flow.source, flow.target),
        policy=policy,
        separator=flow.policy.separator,
        syncs_on_target=settings.get("offset-syncs.topic.location", "source") == "target",
        tasks_max=flow.tasks_max,
    )
    with ExitStack() as stack:
        source, target = (_side(clusters[alias], stack) for alias in (flow.source, flow.target))
        yield Takeover(order, source, target)


@contextmanager
def open_fence(config: ReplicationConfig, flow: FlowDefinition) -> Iterator[SlotFence]:
    """What takes the slots of a flow away from our drivers; connects at its first call."""
    target = next(cluster for cluster in config.clusters if cluster.alias == flow.target)
    fence = WireSlotFence(_client(target))
    try:
        yield fence
    finally:
        fence.close()


def _client(cluster: ClusterDefinition) -> ClusterClient:
    return ClusterClient(alias=cluster.alias, bootstrap=cluster.bootstrap, client={**cluster.client, **cluster.secrets})


def _side(cluster: ClusterDefinition, stack: ExitStack) -> Side:
    client = _client(cluster)
    admin, log, producer = open_admin(client), KafkaRecordLog(client), RecordProducer(client)
    for part in (admin, log, producer):
        stack.callback(part.close)
    return Side(admin=admin, log=log, producer=producer)
