"""Fences every slot of a flow, before another program copies the flow.

A missing metric proves little: a frozen or disconnected driver writes none, and continues when it resumes. After
fencing its transactional id, Kafka refuses its records.
"""

from collections.abc import Collection, Iterable, Iterator

from replication.codecs.producer_registry import decode_producer
from replication.domain.errors import AuthorizationError, FencedError, MalformedRecordError, OriginalDriverActiveError
from replication.domain.identifiers import FlowId, TopicPartition, transactional_id
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.ports.produce.slot_fence import SlotFence
from replication.ports.record_log import LogRecord, RecordLog


def fence_slots(
    flow: FlowId, log: RecordLog, fence: SlotFence, partitions: Collection[TopicPartition], *, least: int
) -> int:
    """Fence slots 0 to the highest that the target knows of, at least `least` of them; returns how many.

    `partitions` are those of the target that the slots write to. Raises OriginalDriverActiveError when a driver takes a
    slot back meanwhile, AuthorizationError when a right is missing, and other errors of the ports.
    """
    slots = max([least - 1, *_registered(log, flow), *_listed(fence.known_ids(), flow)]) + 1
    for slot in range(slots):
        try:
            fence.fence(transactional_id(flow.target, flow.source, slot), partitions)
        except FencedError as error:
            raise OriginalDriverActiveError(
                f"{flow}: a driver has just restarted slot {slot}; stop it (`srm stop`, or disable the flow)",
                cluster=flow.target,
            ) from error
    return slots


def _listed(ids: Iterable[str], flow: FlowId) -> Iterator[int]:
    prefix = transactional_id(flow.target, flow.source, 0).removesuffix("0")
    for known in ids:
        number = known.removeprefix(prefix)
        if known.startswith(prefix) and number.isascii() and number.isdigit():
            yield int(number)


def _registered(log: RecordLog, flow: FlowId) -> set[int]:
    """The slots in the producer registry; empty when the registry may not be read, since few flows need it."""
    found: set[int] = set()
    try:
        for record in log.read_to_end(PRODUCERS_TOPIC, isolation="read_committed"):
            found |= _slot_of(record, flow)
    except AuthorizationError:
        return found
    return found


def _slot_of(record: LogRecord, flow: FlowId) -> set[int]:
    try:
        entry = decode_producer(record.key, record.value)
    except MalformedRecordError:
        return set()
    is_ours = entry is not None and (entry.source, entry.target) == (flow.source, flow.target)
    return {entry.slot} if entry is not None and is_ours else set()
