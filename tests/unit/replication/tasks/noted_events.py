"""Slot events that are noted and not acted on; a test that needs more overrides what it needs."""

from replication.ports.produce.transactions import ProducerIdentity
from replication.tasks.partition.entry import Entry
from replication.tasks.partition.partition_copy import PartitionCopy


class NotedEvents:
    """Implements `SlotEvents`."""

    def __init__(self) -> None:
        self.made_ready: list[PartitionCopy] = []
        self.stopped: list[PartitionCopy] = []
        self.released: list[PartitionCopy] = []

    def ready(self, copy: PartitionCopy) -> None:
        self.made_ready.append(copy)

    def stop_reading(self, copy: PartitionCopy) -> None:
        self.stopped.append(copy)

    def filled(self, copy: PartitionCopy) -> None: ...

    def finished(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        self.done(copy, entry, now_ms)

    def acknowledged(self, copy: PartitionCopy) -> None: ...

    def done(self, copy: PartitionCopy, entry: Entry, now_ms: int) -> None:
        copy.progress.advance(entry)

    def memory_released(self, copy: PartitionCopy) -> None:
        self.released.append(copy)

    def sequences_lost(self, copy: PartitionCopy) -> None: ...

    def transaction_lost(self, reason: str) -> None: ...

    async def renewed(self, identity: ProducerIdentity) -> None: ...

    def rewound(self, copy: PartitionCopy) -> None: ...

    def left(self, copy: PartitionCopy) -> None: ...

    async def start_others(self) -> None: ...
