"""Composition root of the driver: the only module that names control-plane adapters and the data engine."""

from replication.connectors.plan.source_connector import SourceConnector
from replication.connectors.registered_slots import UsedGenerations
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.health.heartbeat import HeartbeatState
from replication.domain.identifiers import FlowId
from replication.domain.names.internal_topics import APPLIED_SETTINGS
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.tasks.heartbeat_task import HeartbeatTask
from replication.wire.inquiries.log_sizes import WireLogSizes
from replication.worker.dependencies import Dependencies
from replication.worker.engine.data_engine import open_data_engine
from replication.worker.jobs.task_group import FlowOrder
from replication.worker.questions.flow_ports import FlowPorts


class ConnectedPlanner:
    """A source connector with its two admin connections."""

    def __init__(self, order: FlowOrder) -> None:
        self._source = open_admin(order.source)
        self._target = open_admin(order.target)
        ledger = AppliedLedger(
            APPLIED_SETTINGS.name(order.flow.source),
            open_log=lambda: KafkaRecordLog(order.target),
            open_producer=lambda: ConfluentRecordProducer(order.target),
        )
        used = UsedGenerations(
            FlowId(order.flow.source, order.target_alias), open_log=lambda: KafkaRecordLog(order.target)
        )
        self._connector = SourceConnector(
            order.flow,
            order.target_alias,
            self._source,
            self._target,
            desired_revision=order.revision,
            ledger=ledger,
            used=used,
        )
        self.refresh_interval_ms = self._connector.refresh_interval_ms

    def run_once(self, previous: PlanDocument | None, now_ms: int) -> PlanDocument:
        return self._connector.run_once(previous, now_ms)

    def close(self) -> None:
        self._source.close()
        self._target.close()


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
    )


def kafka_dependencies() -> Dependencies:
    return Dependencies(
        open_engine=open_data_engine,
        open_planner=ConnectedPlanner,
        open_heartbeat_sender=ConnectedHeartbeatSender,
        open_producer=ConfluentRecordProducer,
        open_flow_ports=connected_flow_ports,
    )
