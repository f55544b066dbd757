"""The connections of a checkpoint task to clusters in memory."""

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
