"""The time that a slot waits for partitions of another slot of its flow, before it fences that slot.

The owner of the other slot copies them meanwhile, or is replaced when its lease ends; so waiting costs little.
"""

from replication.domain.produce.producer_registry import RegisteredProducer

GONE_S = 15.0  # a slot that the plan does not have any more: it is asked to stop, or its process is gone
BEHIND_S = 30.0  # a slot whose owner does not know of the layout: another one takes its lease before that
GIVING_S = 60.0  # a slot that is giving up partitions: the target may not take their last batches


def patience_s(claim: RegisteredProducer, layout: int, slots: int) -> float:
    """Return how long to wait for the slot of this claim, under a plan of that layout and so many slots."""
    if claim.slot >= slots:
        return GONE_S
    return GIVING_S if claim.layout >= layout else BEHIND_S
