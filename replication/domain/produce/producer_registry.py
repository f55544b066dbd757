"""The owners of producer ids, by which a flow between equal names recognizes what the flow back has written.

Every slot of every flow writes its producer id down in the cluster it writes to, before its first batch. A slot that
reads from that cluster drops the batches of those ids. Kafka never assigns a producer id twice.

An entry is also a claim: after it no slot of an older generation of the flow starts any more (ADR 22), and no slot of
the same generation with an older layout (ADR 33).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from replication.domain.identifiers import FlowId, transactional_id


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredProducer:
    """A slot of the flow `source -> target` writes to `target` as this producer."""

    producer_id: int
    source: str
    target: str
    slot: int
    since_ms: int
    generation: int = 0  # of the plan; 0 in entries that name none
    is_fenced: bool = False  # a slot of a newer generation took the transactional id away
    layout: int = 0  # of the plan that the slot works by
    released: int = 0  # the newest layout by which the slot has given up all partitions that are not its own
    has_ended: bool = False  # the slot stopped cleanly, and has no partition

    @property
    def flow(self) -> FlowId:
        return FlowId(self.source, self.target)

    @property
    def transactional_id(self) -> str:
        return transactional_id(self.flow, self.slot, self.generation)

    def has_released(self, layout: int) -> bool:
        """Return True when nothing of the slot is in the way of a partition that moved in this layout."""
        return self.has_ended or self.released >= layout


def newest_claims(
    registered: Iterable[RegisteredProducer], flow: FlowId, generation: int
) -> Mapping[int, RegisteredProducer]:
    """Return the newest entry of each slot of a generation; `registered` are in the order in which they were written.

    A slot has more than one entry after Kafka gave it another producer id.
    """
    return {each.slot: each for each in registered if (each.flow, each.generation) == (flow, generation)}


def looped_ids(registered: Iterable[RegisteredProducer], origins: frozenset[str]) -> frozenset[int]:
    """Producers whose records came from one of these clusters."""
    return frozenset(producer.producer_id for producer in registered if producer.source in origins)


def unfenced_slots(
    registered: Iterable[RegisteredProducer], generation: int, without_generation: int
) -> list[tuple[int, int]]:
    """Return the slots of a flow, as (generation, number), that are older than `generation` and may still commit.

    Drivers of earlier releases did not always register. They run at most `without_generation` slots, as generation 0.
    """
    older = [each for each in registered if each.generation < generation]
    known = {(each.generation, each.slot) for each in older}
    unfenced = {(each.generation, each.slot) for each in older if not each.is_fenced}
    unregistered = {(0, slot) for slot in range(without_generation if generation > 0 else 0)} - known
    return sorted(unfenced | unregistered)
