"""The coordinators of groups: which broker has which group, and asking each of them about its own."""

from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import kafka.errors as kafka_errors
from kafka.protocol.metadata import FindCoordinatorRequest, MetadataRequest

from replication.domain.errors import ConfigurationError, RetriableError
from replication.domain.kafka_error_codes import KafkaErrorCode as Code
from replication.domain.kafka_errors import PARTITION_CODES, is_retriable
from replication.wire.inquiries.blocking_link import BlockingLink
from replication.wire.network.cluster_link import METADATA_MAX_VERSION, ClusterLink

GROUPS_PER_LOOK_UP = 1_000
REQUEST_TIMEOUT_MS = 9_000
PATIENCE_S = 4.0  # for coordinators that move or load; then their groups have a problem, and the next round asks again
TRIES = 2  # the link asks several brokers each time
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 1.0
_FIND_VERSION = 4  # KIP-699: many groups at a time
_GROUP_KEY = 0
_KEEPS_COORDINATOR = frozenset({Code.COORDINATOR_LOAD_IN_PROGRESS, Code.UNSTABLE_OFFSET_COMMIT})
Answer = TypeVar("Answer")
Refusals = dict[str, int]  # Kafka's error code by group

AskNode = Callable[[int, Sequence[str]], Awaitable[tuple[Mapping[str, Answer], Refusals]]]


class Coordinators:
    """Belongs to the loop's thread. Remembers coordinators until one of them denies a group or does not answer."""

    def __init__(self, blocking: BlockingLink) -> None:
        self._blocking = blocking
        self._loop = blocking.loop
        self._link = blocking.link
        self._nodes: dict[str, int] = {}
        self.requests = 0

    async def links(self, count: int) -> list[ClusterLink]:
        """Return so many links for `send`."""
        return await self._blocking.links(count)

    async def send(self, request: Any, node: int | None, *, doing: str, link: ClusterLink | None = None) -> Any:
        """One request to one broker (any when None); raises the errors of ClusterLink."""
        self.requests += 1
        try:
            return await (link or self._link).send(request, node, doing=doing, timeout_ms=REQUEST_TIMEOUT_MS)
        except ConfigurationError as error:
            self.requests -= is_unsupported(error)  # such a request is not sent
            raise

    async def send_to_any(self, request: Any, *, doing: str) -> Any:
        """One request to any broker, and once more if none answers: connections may have just broken."""
        for _ in range(TRIES - 1):
            try:
                return await self.send(request, None, doing=doing)
            except RetriableError:
                await self._loop.sleep(FIRST_PAUSE_S)
        return await self.send(request, None, doing=doing)

    async def brokers(self) -> list[int]:
        request = MetadataRequest(topics=[], allow_auto_topic_creation=False, max_version=METADATA_MAX_VERSION)
        return [broker.node_id for broker in (await self.send_to_any(request, doing="asking for the brokers")).brokers]

    async def ask(
        self, groups: Collection[str], ask_node: AskNode[Answer], *, portion: int, in_flight: int = 1
    ) -> tuple[dict[str, Answer], Refusals]:
        """Ask each coordinator about its groups, as many per call as `portion` and as many calls as `in_flight`.

        Returns the answers, and the codes of groups that were refused until the patience was over.
        """
        answers: dict[str, Answer] = {}
        refusals: Refusals = {}
        deadline_s, pause_s = self._loop.monotonic_s() + PATIENCE_S, FIRST_PAUSE_S
        waiting: Collection[str] = tuple(dict.fromkeys(groups))
        while waiting:
            refused = await self._round(waiting, ask_node, answers, portion, in_flight)
            waiting = [name for name, code in refused.items() if can_retry(code)]
            refusals |= refused
            for name in answers.keys() & refusals.keys():
                del refusals[name]
            if not waiting or self._loop.monotonic_s() > deadline_s:
                break
            await self._loop.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
        return answers, refusals

    async def _round(
        self,
        groups: Collection[str],
        ask_node: AskNode[Answer],
        answers: dict[str, Answer],
        portion: int,
        in_flight: int,
    ) -> Refusals:
        """Ask once; the brokers are asked side by side, so that a silent one holds up its own groups only."""
        refused = await self._locate(groups)
        portions = self._portions([name for name in groups if name not in refused], portion)

        async def work(node: int) -> None:
            while portions[node]:
                names = portions[node].popleft()
                try:
                    found, codes = await ask_node(node, names)
                except RetriableError:
                    silent = [*names, *(name for others in portions[node] for name in others)]
                    portions[node].clear()
                    found, codes = {}, dict.fromkeys(silent, Code.COORDINATOR_NOT_AVAILABLE)
                answers.update(found)
                refused.update(codes)

        workers = [
            self._loop.spawn(work(node))
            for node, waiting in portions.items()
            for _ in range(min(in_flight, len(waiting)))
        ]
        for worker in workers:
            await worker.join()
        for name, code in refused.items():
            if can_retry(code) and code not in _KEEPS_COORDINATOR:
                self._nodes.pop(name, None)
        return refused

    def _portions(self, groups: Collection[str], portion: int) -> dict[int, deque[list[str]]]:
        """Return the groups of each coordinator, so many at a time."""
        by_node: defaultdict[int, list[str]] = defaultdict(list)
        for name in groups:
            by_node[self._nodes[name]].append(name)
        return {
            node: deque(names[at : at + portion] for at in range(0, len(names), portion))
            for node, names in by_node.items()
        }

    async def _locate(self, groups: Collection[str]) -> Refusals:
        """Find coordinators that are unknown; returns the codes of groups that have none."""
        unknown = [name for name in groups if name not in self._nodes]
        refused: Refusals = {}
        for at in range(0, len(unknown), GROUPS_PER_LOOK_UP):
            names = unknown[at : at + GROUPS_PER_LOOK_UP]
            try:
                response = await self._find(names)
            except ConfigurationError as error:
                if not is_unsupported(error):
                    raise
                refused |= await self._locate_singly(names)
                continue
            for found in response.coordinators:
                self._note(found.key, found, refused)
        return refused

    async def _find(self, names: Sequence[str]) -> Any:
        request = FindCoordinatorRequest(
            key_type=_GROUP_KEY, coordinator_keys=list(names), min_version=_FIND_VERSION, max_version=_FIND_VERSION
        )
        return await self.send_to_any(request, doing="finding the coordinators of groups")

    async def _locate_singly(self, names: Sequence[str]) -> Refusals:
        """As Kafka 2.8 wants it."""
        refused: Refusals = {}
        for name in names:
            request = FindCoordinatorRequest(key=name, key_type=_GROUP_KEY, max_version=_FIND_VERSION - 1)
            found = await self.send_to_any(request, doing="finding the coordinator of a group")
            self._note(name, found, refused)
        return refused

    def _note(self, name: str, found: Any, refused: Refusals) -> None:
        if found.error_code == Code.NONE:
            self._nodes[name] = int(found.node_id)
        else:
            refused[name] = int(found.error_code)


def can_retry(code: int) -> bool:
    """Return True when the same coordinator, or the next one, may soon answer otherwise."""
    return is_retriable(code) and code not in PARTITION_CODES


def is_unsupported(error: ConfigurationError) -> bool:
    """Return True when the broker is too old for the request."""
    return isinstance(error.__cause__, kafka_errors.IncompatibleBrokerVersion)
