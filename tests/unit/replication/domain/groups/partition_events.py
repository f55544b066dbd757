"""Events of a partition and its copy, by name."""

from collections.abc import Callable

from tests.unit.replication.domain.groups.copied_partition import CopiedPartition


def _random_most(partition: CopiedPartition) -> int:
    return partition.random.choice((1, 3, 10, 40))


EVENTS: dict[str, Callable[[CopiedPartition], None]] = {
    "produce": lambda each: each.produce(each.random.randint(1, 20)),
    "commit transaction": lambda each: each.produce_transaction(each.random.randint(0, 8), commit=True),
    "abort transaction": lambda each: each.produce_transaction(each.random.randint(0, 8), commit=False),
    "compact": CopiedPartition.compact,
    "replace copied": CopiedPartition.replace_copied,
    "expire source": CopiedPartition.expire_source,
    "copy": lambda each: each.copy(_random_most(each)),
    "copy all": lambda each: each.copy(10_000),
    "commit position": CopiedPartition.commit,
    "write segment": CopiedPartition.write_segment,
    "write syncs": CopiedPartition.write_syncs,
    "take over": CopiedPartition.take_over,
    "lose segment": CopiedPartition.lose_segment,
    "restart": CopiedPartition.restart,
    "kill": CopiedPartition.kill,
    "reset": CopiedPartition.reset,
    "re-create source": CopiedPartition.recreate_source,
    "expire copies": CopiedPartition.expire_copies,
    "truncate": CopiedPartition.truncate,
    "accept truncation": CopiedPartition.accept_truncation,
}
