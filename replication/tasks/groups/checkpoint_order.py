"""The order of a checkpoint task, and the connections it works with."""

from dataclasses import dataclass

from replication.config.flows.policies import internal_separator
from replication.domain.desired.desired_document import DesiredFlow
from replication.domain.groups.checkpoint_settings import CheckpointSettings
from replication.domain.identifiers import FlowId, TaskId, checkpoint_transactional_id
from replication.domain.names.copy_topics import CopyTopics
from replication.domain.names.internal_topics import checkpoints_topic
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.settings.registry.records import OFFSET_SYNCS_LOCATION
from replication.ports.admin import ClusterAdmin
from replication.ports.fenced_producer import FencedProducer
from replication.ports.groups.copy_logs import CopyLogs
from replication.ports.groups.group_admin import GroupAdmin
from replication.ports.log_sizes import LogSizes
from replication.ports.record_log import RecordLog


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointOrder:
    """One checkpoint slot of a flow: the flow's settings, and the plan with the slot's groups and the topics.

    `reverse` is the flow the other way, if there is one.
    """

    flow: DesiredFlow
    target: str
    slot: int
    plan: PlanDocument
    reverse: DesiredFlow | None = None

    @property
    def id(self) -> FlowId:
        return FlowId(self.flow.source, self.target)

    @property
    def task(self) -> TaskId:
        return TaskId(self.flow.source, "checkpoint", self.slot)

    @property
    def settings(self) -> CheckpointSettings:
        """Raises SettingError and InvalidPatternError."""
        return CheckpointSettings.of(self.flow)

    @property
    def groups(self) -> tuple[str, ...]:
        slots = self.plan.groups.slots
        return slots[self.slot] if self.slot < len(slots) else ()

    @property
    def topic(self) -> str:
        """The checkpoints topic. Raises SettingError."""
        separator = internal_separator(self.flow.policy, self.flow.connectors.source)
        return checkpoints_topic(self.id, separator=separator)

    @property
    def copy_topics(self) -> CopyTopics:
        """The topics that tell how the flow copies. Raises SettingError."""
        settings = self.flow.connectors.source
        separator = internal_separator(self.flow.policy, settings)
        on_target = OFFSET_SYNCS_LOCATION.read(settings) == "target"
        return CopyTopics.of(self.id, separator=separator, syncs_on_target=on_target)

    @property
    def reverse_topics(self) -> CopyTopics:
        """The topics that tell how the flow the other way copies; on the other clusters. Raises SettingError."""
        back = FlowId(self.id.target, self.id.source)
        settings = self.flow.connectors.source
        separator = internal_separator(self.flow.policy, settings)
        return CopyTopics.of(back, separator=separator, syncs_on_target=self.copy_topics.syncs_on_target)

    @property
    def transactional_id(self) -> str:
        return checkpoint_transactional_id(self.id, self.slot)

    @property
    def former_ids(self) -> tuple[str, ...]:
        """The transactional ids of slots that no longer exist, and whose groups any other slot may have taken over."""
        former = range(len(self.plan.groups.slots), self.plan.groups.most_slots)
        return tuple(checkpoint_transactional_id(self.id, slot) for slot in former)

    @property
    def gone(self) -> frozenset[str]:
        """The groups that disappeared from the source."""
        return frozenset(name for name, _ in self.plan.groups.gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointPorts:
    """The connections of one checkpoint task; `log` reads the target, `source_log` the source.

    `reverse_logs` tell how a flow the other way copies; they are on the source. `target_sizes` are those of the
    target's logs.
    """

    source: ClusterAdmin
    target: ClusterAdmin
    source_groups: GroupAdmin
    target_groups: GroupAdmin
    copy_logs: CopyLogs
    reverse_logs: CopyLogs
    producer: FencedProducer
    log: RecordLog
    source_log: RecordLog
    target_sizes: LogSizes

    def close(self) -> None:
        logs = (self.copy_logs, self.reverse_logs, self.log, self.source_log, self.target_sizes)
        for port in (*logs, self.producer, self.source_groups, self.target_groups, self.source, self.target):
            port.close()
