"""A request to end this process."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRequest:
    """`returns_in_ms`: for so long the tasks wait for this process; 0 hands them over at once.

    `exit_code` other than 0 ends the process as soon as its tasks have stopped.
    """

    returns_in_ms: int = 0
    exit_code: int = 0
