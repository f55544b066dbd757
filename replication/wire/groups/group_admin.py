"""Consumer groups of a cluster over Kafka's protocol; librdkafka reads one group per request."""

import threading
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any, TypeVar

from kafka.protocol.admin import ListGroupsRequest

from replication.domain.errors import RetriableError
from replication.domain.groups.consumer_group import Commit, Commits, GroupDescription, GroupProblem, ListedGroup
from replication.domain.groups.group_problem import GroupRequest, group_problem
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.plan.slot import ClusterClient
from replication.wire.groups.commit_reader import CommitReader
from replication.wire.groups.commit_writer import CommitWriter
from replication.wire.groups.coordinators import Coordinators, Refusals, can_retry
from replication.wire.groups.describer import GroupDescriber
from replication.wire.groups.group_words import state_of, type_of
from replication.wire.inquiries.blocking_link import BlockingLink
from replication.wire.network.loop import EngineLoop

_LIST_FIRST_VERSION, _LIST_NEWEST_VERSION = 4, 5  # with states (Kafka 2.6), with types
_LIST_TRIES, _LIST_PAUSE_S = 5, 0.5
_LISTING = "listing groups"
Found = TypeVar("Found")


class WireGroupAdmin:
    """The `GroupAdmin` of one cluster. Without a loop, it has one from the first call to `close`."""

    def __init__(self, cluster: ClusterClient, loop: EngineLoop | None = None) -> None:
        self._alias = cluster.alias
        self._blocking = BlockingLink(cluster, "srm-groups", loop)
        self._coordinators = Coordinators(self._blocking)
        self._reader = CommitReader(self._coordinators, self._blocking.loop)
        self._writer = CommitWriter(self._coordinators)
        self._describer = GroupDescriber(self._coordinators)
        self._one_call = threading.Lock()

    @property
    def alias(self) -> str:
        return self._alias

    @property
    def requests(self) -> int:
        return self._coordinators.requests

    def list_groups(self) -> Mapping[str, ListedGroup]:
        listed = self._run(self._list)
        self._describer.note_types(listed)
        return listed

    def commits(self, groups: Collection[str]) -> Mapping[str, Commits | GroupProblem]:
        if not groups:
            return {}
        found, refused = self._run(lambda: self._reader.read(groups))
        return {**found, **self._problems(refused, "read")}

    def describe(self, groups: Collection[str]) -> Mapping[str, GroupDescription | GroupProblem]:
        if not groups:
            return {}
        found, refused = self._run(lambda: self._describer.describe(groups))
        return {**found, **self._problems(refused, "describe")}

    def alter(
        self, commits: Mapping[str, Mapping[TopicPartition, Commit]]
    ) -> Mapping[str, Mapping[TopicPartition, GroupProblem | None]]:
        if not commits:
            return {}
        codes = self._run(lambda: self._writer.write(commits))
        return {
            name: {place: self._partition_problem(code, name, place) for place, code in found.items()}
            for name, found in codes.items()
        }

    def group_operations(self, groups: Collection[str]) -> Mapping[str, frozenset[str]]:
        if not groups:
            return {}
        found, refused = self._run(lambda: self._describer.operations(groups))
        return {**found, **{name: frozenset() for name, code in refused.items() if not can_retry(code)}}

    def close(self) -> None:
        with self._one_call:
            self._blocking.close()

    def _run(self, work: Callable[[], Coroutine[Any, Any, Found]]) -> Found:
        with self._one_call:
            return self._blocking.run(work)

    async def _list(self) -> dict[str, ListedGroup]:
        found: dict[str, ListedGroup] = {}
        for node in await self._coordinators.brokers():
            for group in await self._groups_of(node):
                found[group.group_id] = ListedGroup(
                    name=group.group_id,
                    type=type_of(group.group_type),
                    state=state_of(group.group_state),
                    protocol_type=group.protocol_type,
                )
        return found

    async def _groups_of(self, node: int) -> Any:
        """Return the groups of one broker; raises RetriableError while it does not know them all."""
        for _ in range(_LIST_TRIES):
            request = ListGroupsRequest(
                states_filter=[],
                types_filter=[],
                min_version=_LIST_FIRST_VERSION,
                max_version=_LIST_NEWEST_VERSION,
            )
            response = await self._coordinators.send(request, node, doing=_LISTING)
            if not can_retry(response.error_code):
                self._blocking.link.check(response.error_code, _LISTING)
                return response.groups
            await self._blocking.loop.sleep(_LIST_PAUSE_S)
        text = f"cluster {self._alias}: broker {node} still loads its groups; the next round asks again"
        raise RetriableError(text, cluster=self._alias)

    def _problems(self, refused: Refusals, request: GroupRequest) -> dict[str, GroupProblem]:
        return {name: group_problem(code, request, cluster=self._alias, group=name) for name, code in refused.items()}

    def _partition_problem(self, code: int, group: str, partition: TopicPartition) -> GroupProblem | None:
        if code == Code.NONE:
            return None
        return group_problem(code, "alter", cluster=self._alias, group=group, partition=partition)
