"""The ways to deal with the answer to a Produce request."""

from enum import Enum


class ErrorAction(Enum):
    """The next step for a batch after its answer.

    DONE: on the target. RETRY: send the same bytes again. OUT_OF_ORDER: behind a batch that failed, or the target has
    forgotten our sequences. DENIED: send again once a right is granted. FENCED: the slot has another owner. ABORT: its
    transaction cannot be committed. TOO_LARGE: send in smaller batches. REJECTED: the target never takes it as it is.
    """

    DONE = "done"
    RETRY = "retry"
    OUT_OF_ORDER = "out of order"
    DENIED = "denied"
    FENCED = "fenced"
    ABORT = "abort"
    TOO_LARGE = "too large"
    REJECTED = "rejected"
