"""Composition root of the driver: the only module that names control-plane adapters and the data engine."""

import os
import signal
import threading
import time
from collections.abc import Sequence
from functools import partial

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
from replication.kafka.record_log import KafkaRecordLog
from replication.ports.admin import ClusterAdmin
from replication.ports.arrivals import Arrivals
from replication.ports.groups.group_admin import GroupAdmin
from replication.ports.producer import RecordProducer
from replication.tasks.groups.checkpoint_order import CheckpointPorts
from replication.tasks.groups.checkpoint_task import CheckpointTask
from replication.tasks.groups.round_report import TaskRun
from replication.tasks.heartbeat_task import HeartbeatTask
from replication.wire.groups.group_admin import WireGroupAdmin
from replication.wire.inquiries.chosen_configs import WireChosenConfigs
from replication.wire.inquiries.log_sizes import WireLogSizes
from replication.wire.inquiries.newest_times import WireNewestTimes
from replication.wire.network.loop import EngineLoop
from replication.wire.records.record_producer import WireRecordProducer
from replication.wire.records.record_sender import RecordSender
from replication.worker.connections.client_pool import ClientPool
from replication.worker.connections.idle_closer import IdleCloser
from replication.worker.connections.shared_arrivals import SharedArrivals
from replication.worker.dependencies import Dependencies
from replication.worker.engine.data_engine import open_data_engine
from replication.worker.engine.loop_beat import BEAT_S, LoopBeat
from replication.worker.jobs.task_group import CheckpointSlotOrder, FlowOrder
from replication.worker.questions.flow_ports import FlowPorts

CLOSE_S = 2.0


def _end_this_process() -> None:
    """Without its network loop a control worker hangs; its supervisor starts another one."""
    os.kill(os.getpid(), signal.SIGTERM)


class KafkaClients:
    """The clients of a control worker that flows share: one of a kind per cluster, and one network loop."""

    def __init__(self) -> None:
        self._admins: ClientPool[ClusterAdmin] = ClientPool(
            lambda cluster: open_admin(cluster, WireChosenConfigs(cluster, self._loop()))
        )
        self._senders = ClientPool(lambda cluster: RecordSender(cluster, self._loop()))
        self._groups = ClientPool(self.own_groups)
        self._arrivals = ClientPool(lambda cluster: SharedArrivals(WireNewestTimes(cluster, self._loop())))
        self._closer = IdleCloser([self._admins, self._senders, self._groups, self._arrivals])
        self._lock = threading.Lock()
        self._started: EngineLoop | None = None
        self._loop_beat: LoopBeat | None = None  # of the loop that is started

    def admin(self, cluster: ClusterClient) -> ClusterAdmin:
        self._closer.start()
        return self._admins.client(cluster)

    def producer(self, cluster: ClusterClient) -> RecordProducer:
        self._closer.start()
        return WireRecordProducer(cluster, lambda: self._senders.use(cluster))

    def groups(self, cluster: ClusterClient) -> GroupAdmin:
        self._closer.start()
        return self._groups.client(cluster)

    def own_groups(self, cluster: ClusterClient) -> WireGroupAdmin:
        """Return a client for a caller that counts its requests and closes it; only the loop is shared."""
        return WireGroupAdmin(cluster, self._loop())

    def arrivals(self, cluster: ClusterClient) -> Arrivals:
        self._closer.start()
        return self._arrivals.client(cluster)

    def close(self) -> None:
        """Close what is not in use, and end the loop; a process that ends does not need this."""
        for pool in (self._admins, self._senders, self._groups, self._arrivals):
            pool.close()
        with self._lock:
            loop, self._started, self._loop_beat = self._started, None, None
        if loop is not None:
            loop.stop(CLOSE_S)

    def loop_silent_s(self) -> float:
        """Return the seconds since the last beat of the network loop; 0 while there is none."""
        beat = self._loop_beat
        return 0.0 if beat is None else beat.silent_s(time.monotonic())

    def _loop(self) -> EngineLoop:
        with self._lock:
            if self._started is None:
                loop, beat = EngineLoop("srm-control"), LoopBeat(time.monotonic())
                loop.start(_end_this_process)
                loop.call_threadsafe(lambda: _begin_beating(loop, beat))
                self._started, self._loop_beat = loop, beat
            return self._started


def _begin_beating(loop: EngineLoop, beat: LoopBeat) -> None:
    loop.spawn(_keep_beating(loop, beat))


async def _keep_beating(loop: EngineLoop, beat: LoopBeat) -> None:
    while True:
        beat.note(loop.monotonic_s())
        await loop.sleep(BEAT_S)


class ConnectedPlanner:
    """The planner of a flow with its clients."""

    def __init__(self, clients: KafkaClients, order: FlowOrder) -> None:
        self._source = clients.admin(order.source)
        self._target = clients.admin(order.target)
        ledger = AppliedLedger(
            APPLIED_SETTINGS.name(order.flow.source),
            open_log=lambda: KafkaRecordLog(order.target),
            open_producer=lambda: clients.producer(order.target),
        )
        self._groups, self._target_groups = clients.groups(order.source), clients.groups(order.target)
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


def connected_checkpoints(clients: KafkaClients, order: CheckpointSlotOrder, driver: str, boot: str) -> CheckpointTask:
    """Return a checkpoint task with its connections. Raises ConfigurationError."""
    work = order.work()
    ports = CheckpointPorts(
        source=clients.admin(order.source),
        target=clients.admin(order.target),
        source_groups=clients.own_groups(order.source),
        target_groups=clients.own_groups(order.target),
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

    def __init__(self, clients: KafkaClients, order: FlowOrder) -> None:
        self._producer = clients.producer(order.target)
        self._task = HeartbeatTask(
            order.flow,
            order.target_alias,
            target=clients.admin(order.target),
            producer=self._producer,
            arrivals=clients.arrivals(order.target),
        )

    @property
    def interval_ms(self) -> int:
        return self._task.interval_ms

    def prepare(self, now_ms: int) -> None:
        self._task.prepare(now_ms)

    def beat(self, now_ms: int) -> HeartbeatState:
        return self._task.beat(now_ms)

    def close(self) -> None:
        self._producer.close()


def connected_flow_ports(clients: KafkaClients, source: ClusterClient, target: ClusterClient) -> FlowPorts:
    """The ledger is read only: a question changes what it asks for and nothing else."""
    ledger = AppliedLedger(APPLIED_SETTINGS.name(source.alias), open_log=lambda: KafkaRecordLog(target))
    return FlowPorts(
        source=clients.admin(source),
        target=clients.admin(target),
        ledger=ledger,
        open_sizes=lambda: WireLogSizes(source),
        open_group_admins=lambda: (clients.groups(source), clients.groups(target)),
        open_groups=lambda topics, reverse: GroupPorts(
            source=clients.groups(source),
            target=clients.groups(target),
            copy_logs=KafkaCopyLogs(source, target, topics),
            reverse_logs=KafkaCopyLogs(target, source, reverse),
            source_log=KafkaRecordLog(source),
            target_log=KafkaRecordLog(target),
        ),
    )


def kafka_dependencies() -> Dependencies:
    clients = KafkaClients()
    return Dependencies(
        open_engine=open_data_engine,
        open_planner=partial(ConnectedPlanner, clients),
        open_heartbeat_sender=partial(ConnectedHeartbeatSender, clients),
        open_checkpoints=partial(connected_checkpoints, clients),
        open_producer=clients.producer,
        open_flow_ports=partial(connected_flow_ports, clients),
        loop_silent_s=clients.loop_silent_s,
    )
