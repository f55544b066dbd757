"""Connections to clusters in memory: of a checkpoint task, and of questions about consumer groups."""

from replication.connectors.group_questions.group_ports import GroupPorts
from replication.domain.names.copy_topics import CopyTopics
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.copy_logs import MemoryCopyLogs
from replication.memory.fenced_producer import MemoryFencedProducer
from replication.memory.groups import MemoryGroupAdmin
from replication.memory.log_sizes import MemoryLogSizes
from replication.memory.records import MemoryRecordLog
from replication.tasks.groups.checkpoint_order import CheckpointOrder, CheckpointPorts


def memory_ports(source: MemoryCluster, target: MemoryCluster, order: CheckpointOrder) -> CheckpointPorts:
    return CheckpointPorts(
        source=MemoryAdmin(source),
        target=MemoryAdmin(target),
        source_groups=MemoryGroupAdmin(source),
        target_groups=MemoryGroupAdmin(target),
        copy_logs=MemoryCopyLogs(source, target, order.copy_topics),
        reverse_logs=MemoryCopyLogs(target, source, order.reverse_topics),
        producer=MemoryFencedProducer(target, order.transactional_id),
        log=MemoryRecordLog(target),
        source_log=MemoryRecordLog(source),
        target_sizes=MemoryLogSizes(target),
    )


def memory_group_ports(
    source: MemoryCluster, target: MemoryCluster, topics: CopyTopics, reverse: CopyTopics
) -> GroupPorts:
    return GroupPorts(
        source=MemoryGroupAdmin(source),
        target=MemoryGroupAdmin(target),
        copy_logs=MemoryCopyLogs(source, target, topics),
        reverse_logs=MemoryCopyLogs(target, source, reverse),
        source_log=MemoryRecordLog(source),
        target_log=MemoryRecordLog(target),
    )


def memory_group_admins(source: MemoryCluster, target: MemoryCluster) -> tuple[MemoryGroupAdmin, MemoryGroupAdmin]:
    return MemoryGroupAdmin(source), MemoryGroupAdmin(target)
