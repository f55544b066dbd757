"""The owners of producer ids, by which a flow between equal names recognizes what the flow back has written.

Every slot of every flow writes its producer id down in the cluster it writes to, before its first batch. A slot that
reads from that cluster drops the batches of those ids. Kafka never assigns a producer id twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredProducer:
    """A slot of the flow `source -> target` writes to `target` as this producer."""

    producer_id: int
    source: str
    target: str
    slot: int
    since_ms: int


def looped_ids(registered: Iterable[RegisteredProducer], origins: frozenset[str]) -> frozenset[int]:
    """Producers whose records came from one of these clusters."""
    return frozenset(producer.producer_id for producer in registered if producer.source in origins)
