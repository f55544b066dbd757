"""Reads raw batches: Fetch over incremental sessions, by topic id wherever the cluster offers it."""

from collections.abc import Sequence

from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.kafka_errors import LOST_SESSION_CODES
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.domain.settings.choices import IsolationLevel
from replication.ports.fetch.batch_fetcher import Fetched, FetchPosition
from replication.wire.fetch.fetch_request import FetchAnswer, FetchCall, FetchRequest, FetchSession
from replication.wire.network.buffers import FrameMemory
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.network.loop import EngineLoop

ANSWER_GRACE_MS = 30_000
WITHOUT_RACK_S = 15.0  # a leader continues to name a follower that just died for about as long
FEW_NAMES = 1_000
SMALLEST_ANSWER_BYTES = 256 * 1024


class WireBatchFetcher:
    """The `BatchFetcher` of one slot, over a link that serves nothing else: a long poll blocks what comes after it."""

    def __init__(
        self, loop: EngineLoop, pool: FrameMemory, link: ClusterLink, isolation: IsolationLevel, rack: str
    ) -> None:
        self._pool = pool
        self._isolation: IsolationLevel = isolation
        self._link = link
        self._loop = loop
        self._rack = rack
        self._no_rack_before_s = 0.0
        self._sessions: dict[int, FetchSession] = {}
        self._names: dict[bytes, str] = {}  # by topic id
        self._most_names = FEW_NAMES  # then those of topics that left are forgotten
        self._last_bytes: dict[int, int] = {}
        self._max_bytes = SMALLEST_ANSWER_BYTES  # of the newest fetch

    def has_room(self, node: int) -> bool:
        return self._pool.has_room(self._expected(node))

    def claim_room(self, node: int) -> bool:
        expected_bytes = self._expected(node)
        self._pool.note_wanted(expected_bytes)
        return self._pool.has_room(expected_bytes)

    def _expected(self, node: int) -> int:
        """Return the expected size of the next answer: twice the last, so quiet brokers do not starve busy ones."""
        return min(self._max_bytes, max(SMALLEST_ANSWER_BYTES, 2 * self._last_bytes.get(node, 0)))

    def want(self, node: int, position: FetchPosition) -> None:
        self._session(node).want(position)
        if position.topic_id not in self._names and len(self._names) >= self._most_names:
            self._forget_names()
        self._names[position.topic_id] = position.topic

    def _forget_names(self) -> None:
        """Forget topics that are not wanted any more; requests under way keep the names that they began with."""
        wanted = frozenset[bytes]().union(*(session.topic_ids for session in self._sessions.values())) | {NO_TOPIC_ID}
        self._names = {topic_id: name for topic_id, name in self._names.items() if topic_id in wanted}
        self._most_names = max(FEW_NAMES, 2 * len(self._names))

    def forget(self, node: int, topic: str, topic_id: bytes, partition: int) -> None:
        self._session(node).forget(topic, topic_id, partition)

    def wants_any(self, node: int) -> bool:
        return len(self._session(node)) > 0

    def _session(self, node: int) -> FetchSession:
        if node not in self._sessions:
            self._sessions[node] = FetchSession()
        return self._sessions[node]

    def avoid_followers(self) -> None:
        self._no_rack_before_s = self._loop.monotonic_s() + WITHOUT_RACK_S

    async def fetch(self, node: int, *, max_wait_ms: int, max_bytes: int, partition_max_bytes: int) -> Fetched:
        session = self._session(node)
        by_id = NO_TOPIC_ID not in self._names
        session_id, epoch, changed, forgotten = session.request()
        call = FetchCall(
            by_id=by_id,
            max_wait_ms=max_wait_ms,
            min_bytes=1,
            max_bytes=max_bytes,
            isolation=1 if self._isolation == "read_committed" else 0,
            session_id=session_id,
            session_epoch=epoch,
            wanted=changed,
            forgotten=forgotten if by_id else _others(forgotten, changed),
            partition_max_bytes=partition_max_bytes,
            rack=self._rack if self._loop.monotonic_s() >= self._no_rack_before_s else "",
        )
        self._max_bytes = max_bytes
        expected = self._expected(node)
        self._pool.reserve(expected)
        try:
            answer: FetchAnswer = await self._link.send(
                FetchRequest(call, self._names), node, doing="reading records", timeout_ms=max_wait_ms + ANSWER_GRACE_MS
            )
        except BaseException:
            session.lost()
            self.avoid_followers()
            raise
        finally:
            self._pool.unreserve(expected)
        self._last_bytes[node] = 0 if answer.frame is None else answer.frame.capacity
        if answer.error_code == KafkaErrorCode.NONE:
            session.answered(answer.session_id)
            return Fetched(answer.partitions, answer.frame, answer.throttle_time_ms)
        session.lost()
        if answer.frame is not None:
            answer.frame.release()
        if answer.error_code not in LOST_SESSION_CODES:
            self._link.check(answer.error_code, "fetching")
        return Fetched((), None)


def _others(forgotten: Sequence[FetchPosition], wanted: Sequence[FetchPosition]) -> list[FetchPosition]:
    """By name a broker would take what is to be forgotten of a re-created topic for the topic that is wanted now."""
    names = {(position.topic, position.partition) for position in wanted}
    return [position for position in forgotten if (position.topic, position.partition) not in names]
