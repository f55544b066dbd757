"""Decides when a partition that has more to copy counts as stalled, and names the step that it waits for.

An operator learns of a stall within ten seconds. Added to this time are the check of the partitions each second, from
which the live document is made, the driver's report each second, and the half second for which the service keeps a
report.
"""

from dataclasses import dataclass
from typing import Literal

from replication.domain.identifiers import FlowId

STALLED_AFTER_S = 5.0
IN_TURN_S = 30.0  # for one of many partitions of a broker that serves others meanwhile
LONGEST_STEP_S = 2.0  # longer between two looks: the process itself did not run, which proves nothing

AwaitedStep = Literal["fetch_answer", "fetch", "memory", "produce", "produce_answer", "commit", "gap_record"]

_STEP_PHRASES: dict[AwaitedStep, str] = {
    "fetch_answer": "{source} to answer",
    "fetch": "records from {source}",
    "memory": "free memory for the records that were read from {source}",
    "produce": "its turn to write to {target}",
    "produce_answer": "{target} to confirm the records that were sent",
    "commit": "the transaction in {target} to commit",
    "gap_record": "a gap or rejected record to be written to {target}",
}
_QUEUED_AT_SOURCE: tuple[AwaitedStep, ...] = ("fetch", "memory")
_QUEUED_AT_TARGET: tuple[AwaitedStep, ...] = ("produce", "produce_answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work in the pipeline of one partition."""

    barrier_closed: bool = False
    in_transaction: bool = False  # acknowledged, but not committed
    sent: bool = False
    queued: bool = False
    memory_full: bool = False
    source_silent: bool = False  # its broker owes the answer to a fetch
    source_serves: bool = False  # other partitions of its source broker advance
    target_serves: bool = False  # other partitions of its target broker advance

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
        if self.source_silent:
            return "fetch_answer"
        return "memory" if self.memory_full else "fetch"

    def patience_s(self, transaction_s: float) -> float:
        """Return how long a partition with this work may stay where it is; a transaction lasts for `transaction_s`."""
        awaited = self.awaited
        if self.source_serves and awaited in _QUEUED_AT_SOURCE:
            return IN_TURN_S
        if self.target_serves and awaited in _QUEUED_AT_TARGET:
            return IN_TURN_S
        return STALLED_AFTER_S + (transaction_s if awaited == "commit" else 0.0)


def step_phrase(step: AwaitedStep, flow: FlowId) -> str:
    """Return what a partition of the flow waits for, for people."""
    return _STEP_PHRASES[step].format(source=flow.source, target=flow.target)


def waited_s(known_s: float, elapsed_s: float) -> float:
    """Return the time without progress after one more look; a pause of the process counts as one short step."""
    return known_s + min(elapsed_s, LONGEST_STEP_S)
