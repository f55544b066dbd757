"""Decides when a partition that has more to copy counts as stalled, and names the step that it waits for."""

from dataclasses import dataclass
from typing import Literal

STALLED_AFTER_S = 8.0
LONGEST_STEP_S = 2.0  # longer between two looks: the process itself did not run, which proves nothing

AwaitedStep = Literal["fetch", "memory", "produce", "produce_answer", "commit", "gap_record"]

STEP_PHRASES: dict[AwaitedStep, str] = {
    "fetch": "records from the source",
    "memory": "free memory for fetched batches",
    "produce": "its turn to send to the target",
    "produce_answer": "the target's answer to a Produce request",
    "commit": "the transaction to commit",
    "gap_record": "a gap or rejected record to be written to the target",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work in the pipeline of one partition."""

    barrier_closed: bool = False
    in_transaction: bool = False  # acknowledged, but not committed
    sent: bool = False
    queued: bool = False
    memory_full: bool = False

    @property
    def awaited(self) -> AwaitedStep:
        """The step that the oldest work waits for."""
        if self.barrier_closed:
            return "gap_record"
        if self.sent:
            return "produce_answer"
        if self.in_transaction:
            return "commit"
        if self.queued:
            return "produce"
        return "memory" if self.memory_full else "fetch"


def waited_s(known_s: float, elapsed_s: float) -> float:
    """Return the time without progress after one more look; a pause of the process counts as one short step."""
    return known_s + min(elapsed_s, LONGEST_STEP_S)
