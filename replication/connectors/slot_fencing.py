"""Fences every slot of a flow, before another program copies the flow.

A missing metric proves little: a frozen or disconnected driver writes none, and continues when it resumes. After
fencing its transactional id, Kafka refuses its records.
"""

import re
from collections.abc import Collection, Iterable, Iterator

from replication.connectors.registered_slots import registered_slots
from replication.domain.errors import AuthorizationError, FencedError, OriginalDriverActiveError
from replication.domain.identifiers import FlowId, TopicPartition, transactional_id
from replication.ports.produce.slot_fence import SlotFence
from replication.ports.record_log import RecordLog


def fence_slots(
    flow: FlowId,
    log: RecordLog,
    fence: SlotFence,
    partitions: Collection[TopicPartition],
    *,
    least: int,
    generations: Iterable[int] = (),
) -> int:
    """Fence all slots that the target knows of, at least `least` of each generation; returns how many.

    `partitions` are those of the target that the slots write to, `generations` those found in positions. Raises
    OriginalDriverActiveError when a driver takes a slot back meanwhile, AuthorizationError when a right is missing, and
    other errors of the ports.
    """
    known = {*_registered(log, flow), *_listed(fence.known_ids(), flow)}
    for generation in {*generations, *(generation for generation, _ in known)} or {0}:
        known |= {(generation, slot) for slot in range(least)}
    for generation, slot in sorted(known):
        try:
            fence.fence(transactional_id(flow, slot, generation), partitions)
        except FencedError as error:
            raise OriginalDriverActiveError(
                f"{flow}: a driver has just restarted slot {slot}; stop it (`srm stop`, or disable the flow)",
                cluster=flow.target,
            ) from error
    return len(known)


def _listed(ids: Iterable[str], flow: FlowId) -> Iterator[tuple[int, int]]:
    prefix = transactional_id(flow, 0, 0).removesuffix("0")
    for known in ids:
        match = re.fullmatch(r"([0-9]+)(?:\.g([0-9]+))?", known.removeprefix(prefix))
        if match is not None and known.startswith(prefix):
            yield int(match[2] or 0), int(match[1])


def _registered(log: RecordLog, flow: FlowId) -> set[tuple[int, int]]:
    """The slots in the producer registry; empty when this program may not read it."""
    try:
        return {(entry.generation, entry.slot) for entry in registered_slots(log, flow)}
    except AuthorizationError:
        return set()
