"""Why a partition waits for its target."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TargetTrouble:
    """A stable code, and in words the problem and its remedy; the words follow the name of the remote partition."""

    code: str
    text: str


LEADER = TargetTrouble("remote_leader_not_available", "has no leader that answers; are all brokers of the target up?")
REPLICAS = TargetTrouble(
    "not_enough_replicas", "has fewer replicas in sync than min.insync.replicas; start the brokers that are down"
)
STORAGE = TargetTrouble("target_storage", "cannot be stored; is a disk of the target full or broken?")
RIGHTS = TargetTrouble("authorization_failed", "may not be written; grant WRITE on the topic to the flow's user")
SLOW = TargetTrouble("target_timeout", "is not confirmed in time by its replicas; is the target overloaded?")
QUOTA = TargetTrouble("quota", "is held back by a quota of the target; raise the quota or lower the flow's rate")
MISSING = TargetTrouble("remote_topic_missing", "is not there; the planner creates its topic again")
CORRUPT = TargetTrouble("corrupt_message", "is reported as corrupt on arrival; is the network between damaging data?")
OTHER = TargetTrouble("target_error", "answers with an error that may be temporary")
