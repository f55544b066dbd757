"""The registry of internal topics: every topic that a flow keeps its own state in.

A flow's topics live on its target and are named after its source, so that several flows into one cluster do not meet.
The names and formats of the first six are MirrorMaker 2's.
"""

from types import MappingProxyType

from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topic import InternalTopic
from replication.domain.settings.registry.consumer_groups import CHECKPOINTS_FACTOR
from replication.domain.settings.registry.errors import DEAD_LETTERS_TOPIC
from replication.domain.settings.registry.records import OFFSET_SYNCS_LOCATION
from replication.domain.settings.registry.topic_creation import (
    CONFIGS_FACTOR,
    HEARTBEATS_FACTOR,
    OFFSET_SYNCS_FACTOR,
    OFFSETS_FACTOR,
    OFFSETS_PARTITIONS,
    STATUS_FACTOR,
    STATUS_PARTITIONS,
)

_COMPACT = MappingProxyType({"cleanup.policy": "compact"})
# a broker deletes whole segments only, and by default closes the one it writes to after a week
_ONE_DAY = MappingProxyType({"cleanup.policy": "delete", "retention.ms": "86400000", "segment.ms": "3600000"})

POSITIONS = InternalTopic(
    template="mm2-offsets.{alias}.internal",
    alias="source",
    cluster="target",
    partitions=OFFSETS_PARTITIONS.default,
    partitions_setting=OFFSETS_PARTITIONS,
    factor_setting=OFFSETS_FACTOR,
    configs=_COMPACT,
    fault="blocks",
    risk="positions are deleted, and their partitions stop or are copied twice",
    lost="The positions of all partitions.",
    loss_while_running="The slots fail at their next commit, and start again after the next refresh.",
    loss_while_stopped="Copying continues where it ended: the positions are recovered from the offset runs.",
    written_by="source tasks, takeover",
    read_by="source tasks, checkpoint tasks, planner, audit, takeover, client",
    purpose="The next upstream offset of each partition, as Kafka Connect stores it.",
)
CONNECT_CONFIGS = InternalTopic(
    template="mm2-configs.{alias}.internal",
    alias="source",
    cluster="target",
    factor_setting=CONFIGS_FACTOR,
    is_required=False,
    configs=_COMPACT,
    risk="MirrorMaker 2 refuses to start on it, so the flow cannot be given back",
    risk_of_partitions="MirrorMaker 2 refuses to start on it, so the flow cannot be given back",
    lost="Nothing that the flow needs.",
    written_by="MirrorMaker 2",
    read_by="MirrorMaker 2",
    purpose="Created so that the flow can be given back to MirrorMaker 2.",
)
CONNECT_STATUS = InternalTopic(
    template="mm2-status.{alias}.internal",
    alias="source",
    cluster="target",
    partitions=STATUS_PARTITIONS.default,
    partitions_setting=STATUS_PARTITIONS,
    factor_setting=STATUS_FACTOR,
    is_required=False,
    configs=_COMPACT,
    risk="MirrorMaker 2 refuses to start on it, so the flow cannot be given back",
    lost="Nothing that the flow needs.",
    written_by="MirrorMaker 2",
    read_by="MirrorMaker 2",
    purpose="Created so that the flow can be given back to MirrorMaker 2.",
)
OFFSET_SYNCS = InternalTopic(
    template="mm2-offset-syncs{separator}{alias}{separator}internal",
    alias="the cluster that does not hold it",
    cluster="source or target",
    factor_setting=OFFSET_SYNCS_FACTOR,
    configs=_COMPACT,
    risk="offset syncs are deleted, and MirrorMaker 2 clients translate no older offsets",
    lost="The offset syncs: MirrorMaker 2's clients translate offsets of later records only.",
    written_by="source tasks, takeover",
    read_by="source tasks, checkpoint tasks, takeover, MirrorMaker 2",
    purpose="Pairs of upstream and downstream offsets, for translating consumer group offsets. "
    f"`{OFFSET_SYNCS_LOCATION}` chooses the cluster.",
)
CHECKPOINTS = InternalTopic(
    template="{alias}{separator}checkpoints{separator}internal",
    alias="source",
    cluster="target",
    factor_setting=CHECKPOINTS_FACTOR,
    is_required=False,
    configs=_COMPACT,
    risk="checkpoints of quiet groups are deleted, and their consumers find no offset",
    lost="The checkpoints, until their groups are translated again.",
    written_by="checkpoint tasks",
    read_by="checkpoint tasks, takeover, srm-control, client, MirrorMaker 2",
    purpose="Translated offsets of consumer groups.",
)
HEARTBEATS = InternalTopic(
    template="heartbeats",
    cluster="target",
    factor_setting=HEARTBEATS_FACTOR,
    configs=_COMPACT,
    risk="heartbeats are deleted by age, and a silent flow is no longer discovered",
    lost="The newest heartbeats. Heartbeat tasks fail until the next refresh.",
    written_by="heartbeat tasks",
    read_by="heartbeat tasks",
    purpose="Proof that records pass: flows that leave the cluster copy it, and measure the age of what arrives.",
)
OFFSET_RUNS = InternalTopic(
    template="srm-offset-runs.{alias}.internal",
    alias="source",
    cluster="target",
    partitions=4,
    factor_setting=OFFSETS_FACTOR,
    configs=_COMPACT,
    fault="blocks",
    risk="offset runs are deleted, and offsets are no longer translated exactly",
    lost="The exact offsets of earlier records, and with them the way to recover lost positions.",
    written_by="source tasks",
    read_by="source tasks, checkpoint tasks, audit, client",
    purpose="The exact downstream offset of each copied record, in runs.",
)
GAPS = InternalTopic(
    template="srm-gaps.{alias}.internal",
    alias="source",
    cluster="target",
    factor_setting=OFFSETS_FACTOR,
    configs=_COMPACT,
    fault="blocks",
    risk="gap records are deleted, and lost records are no longer reported",
    lost="The recorded gaps: audits count their records as missing.",
    written_by="source tasks",
    read_by="source tasks, checkpoint tasks, audit, client",
    purpose="Ranges of upstream offsets that were not copied, with the cause.",
)
RAW_METRICS = InternalTopic(
    template="srm-metrics.{alias}.internal",
    alias="source",
    cluster="target",
    partitions=4,
    factor_setting=OFFSETS_FACTOR,
    configs=_ONE_DAY,
    risk="raw metrics are dropped before they are counted, or are kept for ever",
    lost="The raw metrics that were not counted yet. The metrics process records them as a hole.",
    written_by="source tasks, drivers",
    read_by="metrics jobs, takeover",
    purpose="Raw metrics; the metrics jobs aggregate them.",
)
APPLIED_SETTINGS = InternalTopic(
    template="srm-applied.{alias}.internal",
    alias="source",
    cluster="target",
    factor_setting=OFFSETS_FACTOR,
    is_required=False,
    configs=_COMPACT,
    risk="the flow forgets which configs and ACLs it has set, and no longer removes them",
    lost="The configs and ACLs that the flow has set: it no longer removes them.",
    written_by="planner",
    read_by="planner",
    purpose="The configs and ACLs that the flow set on remote topics; it removes nothing else.",
)
PRODUCERS = InternalTopic(
    template="srm-producers.internal",
    cluster="target",
    factor_setting=OFFSETS_FACTOR,
    configs=_COMPACT,
    risk="claims of slots are deleted, so older slots are not fenced and loops are not seen",
    lost="The claims of slots, until the slots start again.",
    written_by="source tasks",
    read_by="source tasks, planner, takeover",
    purpose="The slots that write to the cluster, with their producer ids and generations: for fencing older slots, "
    "and for loop protection.",
)
DEAD_LETTERS = InternalTopic(
    template="srm-dead-letters.{alias}.internal",
    alias="source",
    name_setting=DEAD_LETTERS_TOPIC,
    cluster="target",
    factor_setting=OFFSETS_FACTOR,
    risk="rejected records with equal keys are dropped, and those without a key are refused",
    lost="The dead letters.",
    written_by="source tasks",
    read_by="operators, audit",
    purpose="Records that the target rejects, where the flow keeps them.",
)
CONTROL = InternalTopic(
    template="srm-control.{alias}.internal",
    alias="source",
    cluster="target",
    factor_setting=OFFSETS_FACTOR,
    is_required=False,
    configs=_COMPACT,
    risk="allow and deny lists are deleted, and the flow copies other topics than chosen",
    lost="Nothing: the lists as last read stay in force, and the next change writes them again.",
    written_by="service, srm-control",
    read_by="service, srm-control",
    purpose="The allow and deny lists of the flow. The first change of a list creates it.",
)
# of services, not of a flow: the planner neither creates nor checks it
SERVICE_HEARTBEATS = InternalTopic(
    template="srm-service-heartbeats.internal",
    cluster="target",
    factor_setting=OFFSETS_FACTOR,
    is_required=False,
    # the cluster's clock decides the age of an advertisement, so that a wrong clock of a service does not
    configs=MappingProxyType({"cleanup.policy": "compact", "message.timestamp.type": "LogAppendTime"}),
    risk="advertisements are deleted by age",
    lost="The advertisements, until the services write them again.",
    written_by="service",
    read_by="service",
    purpose="The addresses of services and the targets whose flows they report.",
)

INTERNAL_TOPICS = (
    POSITIONS,
    CONNECT_CONFIGS,
    CONNECT_STATUS,
    OFFSET_SYNCS,
    CHECKPOINTS,
    HEARTBEATS,
    OFFSET_RUNS,
    GAPS,
    RAW_METRICS,
    APPLIED_SETTINGS,
    PRODUCERS,
    DEAD_LETTERS,
    CONTROL,
)
HEARTBEATS_TOPIC = HEARTBEATS.name()
PRODUCERS_TOPIC = PRODUCERS.name()


def checkpoints_topic(flow: FlowId, *, separator: str) -> str:
    """Return the name of a flow's checkpoints topic, which is on its target."""
    return CHECKPOINTS.name(flow.source, separator)


def offset_syncs_topic(flow: FlowId, *, separator: str, on_target: bool) -> str:
    """Return the name of a flow's offset syncs topic, which holds the alias of the other cluster."""
    return OFFSET_SYNCS.name(flow.source if on_target else flow.target, separator)
