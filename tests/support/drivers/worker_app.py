"""Entry of a driver process for tests: the real Celery worker, coordinator and leases, over a fake engine and planner.

`celery -A tests.support.drivers.worker_app worker`; SRM_TEST_TRACE names the file the fake slots write to,
SRM_TEST_RATES the bytes per second of slots. While the file of SRM_TEST_SILENCE exists, the network loop is silent.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.errors import Cause
from replication.domain.groups.group_assignment import assign_groups
from replication.domain.health.heartbeat import HeartbeatState
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.plan_document import PlanDocument, PlanGroups, PlanTopic
from replication.domain.plan.slot import ClusterClient
from replication.domain.plan.slot_assignment import assign_slots
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.worker.dependencies import Dependencies
from replication.worker.jobs.celery_app import build_app
from replication.worker.jobs.task_group import FlowOrder
from replication.worker.questions.flow_ports import FlowPorts
from replication.worker.reporting.logs import configure_logs
from replication.worker.settings import WorkerSettings
from tests.support.drivers.memory_checkpoints import memory_checkpoints
from tests.support.engine.fake_engine import FakeEngine, note_in
from tests.support.groups.memory_ports import memory_group_admins

TOPIC_PARTITIONS = 12
HANGS_S = 60


class FakePlanner:
    """One topic of twelve partitions; the groups are the names that the flow allows.

    A source whose alias begins with `hung` blocks, as a library that lost its cluster may.
    """

    refresh_interval_ms = 1_000
    groups_problem: Cause | None = None

    def __init__(self, order: FlowOrder) -> None:
        self._order = order

    def run_once(self, previous: PlanDocument | None, now_ms: int, others: Sequence[PlanDocument] = ()) -> PlanDocument:
        if self._order.flow.source.startswith("hung"):
            time.sleep(HANGS_S)
        tasks_max = self._order.flow.tasks_max
        assignment = assign_slots(
            previous, [TopicPartition("orders", number) for number in range(TOPIC_PARTITIONS)], tasks_max
        )
        slots = assign_groups(
            () if previous is None else previous.groups.slots, self._order.flow.groups.allow, tasks_max
        )
        groups = PlanGroups(slots=slots, most_slots=len(slots))
        is_same = previous is not None and (previous.generation, previous.layout) == (
            assignment.generation,
            assignment.layout,
        )
        if previous is not None and is_same:
            return previous if previous.groups == groups else replace(previous, groups=groups, planned_ms=now_ms)
        source = self._order.flow.source
        topic = PlanTopic(
            upstream="orders",
            remote=f"{source}.orders",
            topic_id=bytes(16),
            partitions=TOPIC_PARTITIONS,
            max_message_bytes=1_048_588,
            timestamp_type="CreateTime",
        )
        return PlanDocument(
            target=self._order.target_alias,
            source=source,
            generation=assignment.generation,
            version=1 + assignment.layout,
            desired_revision=self._order.revision,
            planned_ms=now_ms,
            tasks_max=tasks_max,
            topics=(topic,),
            slots=tuple(tuple((0, partition.partition) for partition in slot) for slot in assignment.slots),
            layout=assignment.layout,
            moved=tuple((0, each.partition, since, former) for each, since, former in assignment.moved),
            older_slots=assignment.older_slots,
            groups=groups,
        )

    def close(self) -> None:
        return


class FakeHeartbeat:
    interval_ms = 1_000

    def __init__(self, order: FlowOrder) -> None:
        self._order = order

    def prepare(self, now_ms: int) -> None:
        """Its heartbeats are sent by `beat`."""

    def beat(self, now_ms: int) -> HeartbeatState:
        return HeartbeatState(last_sent_ms=now_ms, age_ms=5)

    def close(self) -> None:
        return


class StuckHeartbeat(FakeHeartbeat):
    """Blocks like a client library that lost its cluster."""

    def beat(self, now_ms: int) -> HeartbeatState:
        time.sleep(HANGS_S)
        return super().beat(now_ms)


class DiscardingProducer:
    def __init__(self, cluster: ClusterClient) -> None:
        self.cluster = cluster

    def send(self, topic: str, **record: object) -> None:
        return

    def flush(self, timeout_s: float = 10.0) -> None:
        return

    def close(self) -> None:
        return


def memory_flow_ports(source: ClusterClient, target: ClusterClient) -> FlowPorts:
    """Two new clusters, the source with one topic; one whose alias begins with `dead` does not answer."""
    clusters = [MemoryCluster(client.alias) for client in (source, target)]
    for cluster in clusters:
        cluster.is_up = not cluster.alias.startswith("dead")
    clusters[0].create("orders", partitions=TOPIC_PARTITIONS)
    return FlowPorts(
        source=MemoryAdmin(clusters[0]),
        target=MemoryAdmin(clusters[1]),
        ledger=AppliedLedger(),
        open_group_admins=lambda: memory_group_admins(clusters[0], clusters[1]),
    )


_rates = {int(slot): float(rate) for slot, rate in json.loads(os.environ.get("SRM_TEST_RATES", "{}")).items()}
_silence = Path(os.environ["SRM_TEST_SILENCE"]) if "SRM_TEST_SILENCE" in os.environ else None
_settings = WorkerSettings.from_environment(os.environ)
configure_logs(_settings.log_level, _settings.log_format, {"driver": _settings.driver, "role": _settings.role})
app = build_app(
    _settings,
    Dependencies(
        open_engine=lambda _folder: FakeEngine(note_in(Path(os.environ["SRM_TEST_TRACE"])), _rates, _silence),
        open_planner=FakePlanner,
        open_heartbeat_sender=StuckHeartbeat if "SRM_TEST_STUCK" in os.environ else FakeHeartbeat,
        open_checkpoints=memory_checkpoints,
        open_producer=DiscardingProducer,
        open_flow_ports=memory_flow_ports,
        loop_silent_s=lambda: 0.0,
    ),
)
