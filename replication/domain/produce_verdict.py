"""What a Produce answer means for one batch, and what to tell an operator about it (Kafka's `Errors`)."""

from dataclasses import dataclass
from enum import Enum

DUPLICATE_SEQUENCE = 46
OUT_OF_ORDER_SEQUENCE = 45
UNKNOWN_PRODUCER_ID = 59

_OLD_EPOCH = 47
_FENCED = frozenset({_OLD_EPOCH, 49, 90})
_RETRY = frozenset({-1, 2, 3, 5, 6, 7, 8, 9, 13, 14, 15, 16, 19, 20, 51, 56, 72, 74, 75, 78, 84, 89, 100, 103})
_LOST_STATE = frozenset({OUT_OF_ORDER_SEQUENCE, UNKNOWN_PRODUCER_ID})
_REFUSED_RIGHTS = frozenset({29, 31, 53, 58})
_ABORTABLE = frozenset({48, 120})
_TOO_LARGE = frozenset({10, 18})
SUSPECT_CODES = frozenset({-1, 2})  # unknown server error, corrupt message: usually the way, not the batch
# A leader appends before it waits for its replicas. When it loses the partition meanwhile (6), or the partition (3) or
# its disk (56) goes away, the batch may stand in the log of the next leader (`DelayedProduce`).
_MAYBE_WRITTEN = frozenset({-1, 3, 6, 7, 13, 20, 56})


class ProduceVerdict(Enum):
    """What becomes of a batch.

    DONE: on the target. RETRY: the same bytes again. OUT_OF_ORDER: behind a batch that failed, or the target has
    forgotten our sequences. DENIED: again, once a right is granted. FENCED: the slot has another owner. ABORT: its
    transaction cannot be committed. TOO_LARGE: in smaller batches. REFUSED: never as it is.
    """

    DONE = "done"
    RETRY = "retry"
    OUT_OF_ORDER = "out of order"
    DENIED = "denied"
    FENCED = "fenced"
    ABORT = "abort"
    TOO_LARGE = "too large"
    REFUSED = "refused"


_VERDICTS: dict[int, ProduceVerdict] = {
    **dict.fromkeys((0, DUPLICATE_SEQUENCE), ProduceVerdict.DONE),
    **dict.fromkeys(_FENCED, ProduceVerdict.FENCED),
    **dict.fromkeys(_RETRY, ProduceVerdict.RETRY),
    **dict.fromkeys(_LOST_STATE, ProduceVerdict.OUT_OF_ORDER),
    **dict.fromkeys(_REFUSED_RIGHTS, ProduceVerdict.DENIED),
    **dict.fromkeys(_ABORTABLE, ProduceVerdict.ABORT),
    **dict.fromkeys(_TOO_LARGE, ProduceVerdict.TOO_LARGE),
}


def verdict(error_code: int, *, transactional: bool = False) -> ProduceVerdict:
    """By Kafka error code; unknown ones count as refused, which concerns one batch and says so.

    An old epoch in a transaction may only mean that its coordinator ended it after its time-out (KIP-588): whether
    there is another owner shows when it is aborted.
    """
    if transactional and error_code == _OLD_EPOCH:
        return ProduceVerdict.ABORT
    return _VERDICTS.get(error_code, ProduceVerdict.REFUSED)


def leaves_doubt(error_code: int) -> bool:
    """True when the batch may stand in the target's log although the answer is an error."""
    return error_code in _MAYBE_WRITTEN


@dataclass(frozen=True, slots=True)
class TargetTrouble:
    """Why a partition waits for its target: a stable code, and what is the matter and what to do in words."""

    code: str
    text: str


_LEADER = TargetTrouble("remote_leader_not_available", "has no leader that answers; are all brokers of the target up?")
_REPLICAS = TargetTrouble(
    "not_enough_replicas", "has fewer replicas in sync than min.insync.replicas; start the brokers that are down"
)
_STORAGE = TargetTrouble("target_storage", "cannot be stored; is a disk of the target full or broken?")
_RIGHTS = TargetTrouble("authorization_failed", "may not be written; grant WRITE on the topic to the flow's user")
_SLOW = TargetTrouble("target_timeout", "is not confirmed in time by its replicas; is the target overloaded?")
_QUOTA = TargetTrouble("quota", "is held back by a quota of the target; raise the quota or lower the flow's rate")
_MISSING = TargetTrouble("remote_topic_missing", "is not there; the planner creates its topic again")
_CORRUPT = TargetTrouble("corrupt_message", "is reported as corrupt on arrival; is the network between damaging data?")

_TROUBLES: dict[int, TargetTrouble] = {
    **dict.fromkeys((5, 6, 8, 9, 13, 72, 74, 75, 78), _LEADER),
    **dict.fromkeys((19, 20), _REPLICAS),
    **dict.fromkeys(_REFUSED_RIGHTS, _RIGHTS),
    **dict.fromkeys((3, 100, 103), _MISSING),
    2: _CORRUPT,
    7: _SLOW,
    56: _STORAGE,
    84: _STORAGE,
    89: _QUOTA,
}


def trouble(error_code: int) -> TargetTrouble:
    """What an error that is retried says about the remote partition."""
    return _TROUBLES.get(error_code, TargetTrouble("target_error", "answers with an error that may pass by itself"))
