"""Composition root of the driver: the only module that names control-plane adapters and the data engine."""

from collections.abc import Sequence

from replication.connectors.group_questions.group_ports import GroupPorts
from replication.connectors.groups.group_planner import GroupPlanner
from replication.connectors.groups.group_preflight import GroupPreflight, GroupSide
from replication.connectors.groups.group_rights import GroupRights
from replication.connectors.plan.flow_planner import FlowPlanner
from replication.connectors.plan.source_connector import SourceConnector
from replication.connectors.registered_slots import UsedGenerations
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.errors import Cause
from replication.domain.health.heartbeat import HeartbeatState
from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import APPLIED_SETTINGS
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.copy_logs import KafkaCopyLogs
from replication.kafka.fenced_producer import ConfluentFencedProducer
from replication.kafka.producer import ConfluentRecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.tasks.groups.checkpoint_order import CheckpointPorts
from replication.tasks.groups.checkpoint_task import CheckpointTask
from replication.tasks.groups.round_report import TaskRun
from replication.tasks.heartbeat_task import HeartbeatTask
from replication.wire.groups.group_admin import WireGroupAdmin
from replication.wire.inquiries.log_sizes import WireLogSizes
from replication.worker.dependencies import Dependencies
from replication.worker.engine.data_engine import open_data_engine
from replication.worker.jobs.task_group import CheckpointSlotOrder, FlowOrder
from replication.worker.questions.flow_ports import FlowPorts


class ConnectedPlanner:
    """The planner of a flow with its admin connections."""

    def __init__(self, order: FlowOrder) -> None:
        self._source = open_admin(order.source)
        self._target = open_admin(order.target)
        ledger = AppliedLedger(
            APPLIED_SETTINGS.name(order.flow.source),
            open_log=lambda: KafkaRecordLog(order.target),
            open_producer=lambda: ConfluentRecordProducer(order.target),
        )
        self._groups, self._target_groups = WireGroupAdmin(order.source), WireGroupAdmin(order.target)
        used = UsedGenerations(
            FlowId(order.flow.source, order.target_alias), open_log=lambda: KafkaRecordLog(order.target)
        )
        connector = SourceConnector(
            order.flow,
            order.target_alias,
            self._source,
            self._target,
            desired_revision=order.revision,
            ledger=ledger,
            used=used,
        )
        check = GroupPreflight(
            order.flow,
            order.target_alias,
            GroupSide(admin=self._source, groups=self._groups),
            GroupSide(admin=self._target, groups=self._target_groups),
        )
        groups = GroupPlanner(order.flow, self._groups, order.target_alias)
        self._planner = FlowPlanner(connector, groups, GroupRights(check))

    @property
    def refresh_interval_ms(self) -> int:
        return self._planner.refresh_interval_ms

    @property
    def groups_problem(self) -> Cause | None:
        return self._planner.groups_problem

    def run_once(self, previous: PlanDocument | None, now_ms: int, others: Sequence[PlanDocument] = ()) -> PlanDocument:
        return self._planner.run_once(previous, now_ms, others)

    def close(self) -> None:
        self._groups.close()
        self._target_groups.close()
        self._source.close()
        self._target.close()


def connected_checkpoints(order: CheckpointSlotOrder, driver: str, boot: str) -> CheckpointTask:
    """Return a checkpoint task with its connections. Raises ConfigurationError."""
    work = order.work()
    ports = CheckpointPorts(
        source=open_admin(order.source),
        target=open_admin(order.target),
        source_groups=WireGroupAdmin(order.source),
        target_groups=WireGroupAdmin(order.target),
        copy_logs=KafkaCopyLogs(order.source, order.target, work.copy_topics),
        reverse_logs=KafkaCopyLogs(order.target, order.source, work.reverse_topics),
        producer=ConfluentFencedProducer(order.target, work.transactional_id),
        log=KafkaRecordLog(order.target),
        source_log=KafkaRecordLog(order.source),
        target_sizes=WireLogSizes(order.target),
    )
    return CheckpointTask(work, ports, TaskRun(driver=driver, boot=boot))


class ConnectedHeartbeatSender:
    """A heartbeat task with its clients on the target."""

    def __init__(self, order: FlowOrder) -> None:
        self._admin = open_admin(order.target)
        self._producer = ConfluentRecordProducer(order.target)
        self._log = KafkaRecordLog(order.target)
        self._task = HeartbeatTask(
            order.flow, order.target_alias, target=self._admin, producer=self._producer, log=self._log
        )

    def beat(self, now_ms: int) -> HeartbeatState:
        return self._task.beat(now_ms)

    def close(self) -> None:
        self._log.close()
        self._producer.close()
        self._admin.close()


def connected_flow_ports(source: ClusterClient, target: ClusterClient) -> FlowPorts:
    """The ledger is read only: a question changes what it asks for and nothing else."""
    ledger = AppliedLedger(APPLIED_SETTINGS.name(source.alias), open_log=lambda: KafkaRecordLog(target))
    return FlowPorts(
        source=open_admin(source),
        target=open_admin(target),
        ledger=ledger,
        open_sizes=lambda: WireLogSizes(source),
        open_group_admins=lambda: (WireGroupAdmin(source), WireGroupAdmin(target)),
        open_groups=lambda topics, reverse: GroupPorts(
            source=WireGroupAdmin(source),
            target=WireGroupAdmin(target),
            copy_logs=KafkaCopyLogs(source, target, topics),
            reverse_logs=KafkaCopyLogs(target, source, reverse),
            source_log=KafkaRecordLog(source),
            target_log=KafkaRecordLog(target),
        ),
    )


def kafka_dependencies() -> Dependencies:
    return Dependencies(
        open_engine=open_data_engine,
        open_planner=ConnectedPlanner,
        open_heartbeat_sender=ConnectedHeartbeatSender,
        open_checkpoints=connected_checkpoints,
        open_producer=ConfluentRecordProducer,
        open_flow_ports=connected_flow_ports,
    )
