"""Describes groups: classic ones first, then those that are of a newer type."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from kafka.protocol.admin import DescribeGroupsRequest

from replication.domain.errors import ConfigurationError
from replication.domain.groups.consumer_group import GroupDescription, GroupType, ListedGroup
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.wire.groups.coordinators import AskNode, Coordinators, Refusals, is_unsupported
from replication.wire.groups.group_words import classic_description, newer_description, operations_of
from replication.wire.groups.newer_requests import (
    ConsumerGroupDescribeRequest,
    ShareGroupDescribeRequest,
    StreamsGroupDescribeRequest,
)

GROUPS_PER_REQUEST = 200  # members come with their subscriptions and assignments
_DESCRIBE_VERSION = 5  # the newest that describes groups that do not exist as dead, with what we may do on them
_DOING = "describing groups"
Answer = TypeVar("Answer")
# the version of ShareGroupDescribe before 1 had another shape
_NEWER: dict[GroupType, Callable[[list[str]], Any]] = {
    "consumer": lambda names: ConsumerGroupDescribeRequest(group_ids=names),
    "share": lambda names: ShareGroupDescribeRequest(group_ids=names, min_version=1),
    "streams": lambda names: StreamsGroupDescribeRequest(group_ids=names),
}


class GroupDescriber:
    """Belongs to the loop's thread, but for `note_types`. Remembers the types that the cluster's list told."""

    def __init__(self, coordinators: Coordinators) -> None:
        self._coordinators = coordinators
        self._listed: Mapping[str, ListedGroup] = {}

    def note_types(self, listed: Mapping[str, ListedGroup]) -> None:
        self._listed = listed

    async def describe(self, groups: Collection[str]) -> tuple[dict[str, GroupDescription], Refusals]:
        """Return descriptions by group, and the codes of groups that were refused."""
        newer = [name for name in groups if self._type_of(name) in _NEWER]
        others = [name for name in groups if self._type_of(name) not in _NEWER]
        found, refused = await self._coordinators.ask(others, self._ask_classic, portion=GROUPS_PER_REQUEST)
        unknown = [name for name, group in found.items() if group.state == "dead"]
        for group_type in _NEWER:
            wanted = [*(name for name in newer if self._type_of(name) == group_type), *unknown]
            if not wanted:
                continue
            described, codes = await self._coordinators.ask(
                wanted, self._ask_newer(group_type), portion=GROUPS_PER_REQUEST
            )
            found |= described
            unknown = [name for name in unknown if name not in described]
            for name, code in codes.items():
                if code == Code.GROUP_ID_NOT_FOUND:
                    found.setdefault(name, self._undescribed(name))
                elif name not in found:
                    refused[name] = code
        return found, refused

    async def operations(self, groups: Collection[str]) -> tuple[dict[str, frozenset[str]], Refusals]:
        """Return what this client may do on each group of any type; groups need not exist."""

        async def ask(node: int, names: Sequence[str]) -> tuple[dict[str, frozenset[str]], Refusals]:
            response = await self._send_classic(node, names, operations=True)
            return _split(response, lambda group: operations_of(group.authorized_operations))

        return await self._coordinators.ask(groups, ask, portion=GROUPS_PER_REQUEST)

    def _type_of(self, name: str) -> GroupType:
        listed = self._listed.get(name)
        return listed.type if listed is not None else "unknown"

    def _undescribed(self, name: str) -> GroupDescription:
        """A group that is only known from the list, if at all."""
        listed = self._listed.get(name)
        if listed is None or listed.type not in ("share", "streams"):
            return GroupDescription(name=name, type="unknown", state="dead", members=0)
        return GroupDescription(name=name, type=listed.type, state=listed.state, members=0)

    async def _ask_classic(self, node: int, names: Sequence[str]) -> tuple[dict[str, GroupDescription], Refusals]:
        return _split(await self._send_classic(node, names, operations=False), classic_description)

    async def _send_classic(self, node: int, names: Sequence[str], *, operations: bool) -> Any:
        request = DescribeGroupsRequest(
            groups=list(names), include_authorized_operations=operations, max_version=_DESCRIBE_VERSION
        )
        return await self._coordinators.send(request, node, doing=_DOING)

    def _ask_newer(self, group_type: GroupType) -> AskNode[GroupDescription]:
        async def ask(node: int, names: Sequence[str]) -> tuple[dict[str, GroupDescription], Refusals]:
            try:
                response = await self._coordinators.send(_NEWER[group_type](list(names)), node, doing=_DOING)
            except ConfigurationError as error:
                if not is_unsupported(error):
                    raise
                return {}, dict.fromkeys(names, int(Code.GROUP_ID_NOT_FOUND))  # a broker without such groups
            return _split(response, lambda group: newer_description(group, group_type))

        return ask


def _split(response: Any, read: Callable[[Any], Answer]) -> tuple[dict[str, Answer], Refusals]:
    """Return what each group says, and the codes of those that were refused."""
    good = {group.group_id: read(group) for group in response.groups if group.error_code == Code.NONE}
    return good, {group.group_id: int(group.error_code) for group in response.groups if group.group_id not in good}
