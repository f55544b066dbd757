"""The moment at which a topic joined a flow; it decides which of its partitions start where the flow starts."""

from typing import NamedTuple


class TopicJoin(NamedTuple):
    """The number of partitions that the source topic had, and the generation of the plan that named it first."""

    partitions: int
    generation: int

    def is_newer(self, partition: int) -> bool:
        """True for a partition that was added afterwards: all its records are newer than the flow."""
        return partition >= self.partitions

    def is_later_than(self, generation: int) -> bool:
        """True when the topic was copied in that generation already, by a plan that is lost or another driver."""
        return generation < self.generation
