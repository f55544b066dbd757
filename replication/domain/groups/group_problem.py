"""Explains a coordinator's refusal of a group or of one of its partitions."""

from typing import Literal

from replication.domain.groups.consumer_group import GroupProblem
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.kafka_errors import error_name

GroupRequest = Literal["read", "describe", "alter"]

_DOING: dict[GroupRequest, str] = {
    "read": "reading committed offsets of",
    "describe": "describing",
    "alter": "committing offsets of",
}
_REMEDIES: dict[int, str] = {
    Code.TOPIC_AUTHORIZATION_FAILED: "grant READ on the topic",
    Code.UNKNOWN_MEMBER_ID: "the group has members; it is written after the last one has left",
    Code.REBALANCE_IN_PROGRESS: "the group has members; it is written after the last one has left",
    Code.UNKNOWN_TOPIC_OR_PARTITION: "the topic has no such partition",
    Code.GROUP_ID_NOT_FOUND: "it is not a consumer group",
    Code.OFFSET_METADATA_TOO_LARGE: "raise offset.metadata.max.bytes of the brokers",
    Code.COORDINATOR_NOT_AVAILABLE: "its coordinator does not answer; check that the brokers run",
    Code.NOT_COORDINATOR: "its coordinator is moving; the next round asks again",
    Code.COORDINATOR_LOAD_IN_PROGRESS: "its coordinator is still loading; the next round asks again",
}


def group_problem(
    code: int, request: GroupRequest, *, cluster: str, group: str, partition: TopicPartition | None = None
) -> GroupProblem:
    """Return the problem with a text of one line that names the group and the remedy."""
    if code == Code.GROUP_AUTHORIZATION_FAILED:
        remedy = f"grant {'READ' if request == 'alter' else 'DESCRIBE'} on group {group}"
    else:
        remedy = _REMEDIES.get(code, "")
    place = f" on {partition}" if partition is not None else ""
    text = f"cluster {cluster}: {_DOING[request]} group {group}{place}: {error_name(code)}"
    return GroupProblem(error_name(code), f"{text}; {remedy}" if remedy else text)
