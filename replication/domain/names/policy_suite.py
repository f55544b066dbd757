"""The rules of every replication policy; authors run them in their tests, and we do before a flow uses a policy.

def test_my_policy() -> None:
    assert broken_rules(MyPolicy(source="a", target="b"), "a", "b") == ()
"""

from collections.abc import Callable

from replication.domain.names.internal_topics import HEARTBEATS_TOPIC
from replication.domain.names.replication_policy import ReplicationPolicy, is_cycle, original_topic
from replication.domain.names.topic_name import is_legal_topic_name

_TOPICS = ("orders", "a.b", "x-y_z", "t1", "UPPER", HEARTBEATS_TOPIC, "b.orders", "no.dots-at.all_")
_ODD = ("", ".", "..", "a..b", ".hidden", "trailing.", "__consumer_offsets", "x" * 249, "not/legal", "ü")


def broken_rules(policy: ReplicationPolicy, source: str, target: str) -> tuple[str, ...]:
    """In words, the rules that the policy of the flow source->target breaks; none for a sound one."""
    checks: tuple[Callable[[ReplicationPolicy, str, str], str | None], ...] = (
        _answers_every_name,
        _makes_legal_names,
        _keeps_topics_apart,
        _finds_the_way_back,
        _sees_cycles,
        _keeps_heartbeats_known,
    )
    found: list[str] = []
    for check in checks:
        try:
            problem = check(policy, source, target)
        except Exception as error:  # a plug-in's code
            problem = f"it raises {type(error).__name__}: {error}"
        if problem is not None and problem not in found:
            found.append(problem)
    return tuple(found)


def _answers_every_name(policy: ReplicationPolicy, source: str, target: str) -> str | None:
    for topic in (*_TOPICS, *_ODD):
        answers = policy.topic_source(topic), policy.upstream_topic(topic)
        if not all(answer is None or isinstance(answer, str) for answer in answers):
            return f"topic_source and upstream_topic must answer text or None, not {answers!r} for {topic!r}"
    return None


def _makes_legal_names(policy: ReplicationPolicy, source: str, target: str) -> str | None:
    for topic in _TOPICS:
        remote: object = policy.format_remote_topic(source, topic)
        if not isinstance(remote, str) or not is_legal_topic_name(remote):
            return f"format_remote_topic({source!r}, {topic!r}) is {remote!r}, which is no topic name"
    return None


def _keeps_topics_apart(policy: ReplicationPolicy, source: str, target: str) -> str | None:
    names = {topic: policy.format_remote_topic(source, topic) for topic in _TOPICS}
    taken: dict[str, str] = {}
    for topic, remote in names.items():
        if remote in taken:
            return f"{taken[remote]!r} and {topic!r} have the same remote name {remote!r}"
        taken[remote] = topic
    return None


def _finds_the_way_back(policy: ReplicationPolicy, source: str, target: str) -> str | None:
    for topic in _TOPICS:
        remote = policy.format_remote_topic(source, topic)
        if policy.topic_source(remote) != source:
            return f"topic_source({remote!r}) is {policy.topic_source(remote)!r}, not {source!r}"
        if policy.upstream_topic(remote) != topic:
            return f"upstream_topic({remote!r}) is {policy.upstream_topic(remote)!r}, not {topic!r}"
    return None


def _sees_cycles(policy: ReplicationPolicy, source: str, target: str) -> str | None:
    """A topic that came from the target must not go back; a policy that keeps names cannot know this, and is exempt."""
    for topic in _TOPICS:
        came_back = policy.format_remote_topic(target, topic)
        if came_back != topic and not is_cycle(policy, came_back, target):
            return f"{came_back!r}, a copy from {target!r}, would be copied back to {target!r} and so on"
    return None


def _keeps_heartbeats_known(policy: ReplicationPolicy, source: str, target: str) -> str | None:
    remote = policy.format_remote_topic(source, HEARTBEATS_TOPIC)
    if remote == HEARTBEATS_TOPIC or original_topic(policy, remote) != HEARTBEATS_TOPIC:
        return f"{remote!r}, the copy of {HEARTBEATS_TOPIC}, is not recognized as its copy"
    return None
