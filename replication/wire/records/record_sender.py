"""Sends the records of many producers to one cluster, those of a moment in one request to each leader."""

import threading
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kafka.protocol.producer import InitProducerIdRequest

from replication.domain.errors import ConfigurationError, ReplicationError, RetriableError
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.kafka_errors import EXCEPTIONS, control_error_class, error_name, kafka_error
from replication.domain.plan.slot import ClusterClient
from replication.domain.produce.error_action import ErrorAction
from replication.ports.produce.batch_producer import OutgoingBatch, ProduceResult
from replication.wire.network.buffers import BufferPool
from replication.wire.network.cluster_link import ClusterLink
from replication.wire.network.error_translation import translated
from replication.wire.network.loop import EngineLoop
from replication.wire.produce.produce_request import NEWEST_VERSION, ProduceAnswer, ProduceRequest
from replication.wire.records.queued_record import Identity, Lane, QueuedRecord

DELIVERY_S = 10.0
UNKNOWN_TOPIC_S = 5.0  # a topic that was just created may be unknown to some brokers
MOST_WAITING = 100_000
MISSING_KEPT_S = 10.0  # the longest time between two looks for a missing topic
LEADERS_KEPT_S = 300.0  # then topics are described again, because they may have more partitions
_GATHER_S, _RETRY_S, _IDLE_S = 0.005, 0.1, 3_600.0
_POOL_BYTES = 1024 * 1024
_INIT_VERSION = 4
_DOING = "writing records"
_PASSING = (KafkaErrorCode.UNKNOWN_TOPIC_OR_PARTITION.name, KafkaErrorCode.LEADER_NOT_AVAILABLE.name)


@dataclass(slots=True)
class _Known:
    """The leaders of a topic, by partition; none while the cluster does not know it.

    A missing topic is looked for at growing intervals: many flows report to topics that no one has created.
    """

    leaders: Mapping[int, int]
    since_s: float
    asked_s: float

    def is_fresh(self, now_s: float) -> bool:
        kept_s = LEADERS_KEPT_S if self.leaders else min(max(self.asked_s - self.since_s, _RETRY_S), MISSING_KEPT_S)
        return now_s - self.asked_s < kept_s

    def is_missing(self, now_s: float) -> bool:
        return not self.leaders and now_s - self.since_s >= UNKNOWN_TOPIC_S


class RecordSender:
    """Idempotent, with acks=all. `put` is thread-safe; all else happens on the loop's thread.

    A batch that fails is repeated as it is until its records are given up; then the sender takes another producer id.
    """

    def __init__(self, cluster: ClusterClient, loop: EngineLoop) -> None:
        self.alias = cluster.alias
        self._loop = loop
        self._link = ClusterLink(loop, BufferPool(_POOL_BYTES), cluster, "srm-records")
        self._lock = threading.Lock()
        self._inbox: list[QueuedRecord] = []
        self._waiting = 0
        self._is_started = self._is_closed = self._is_open = False
        self._wake = loop.signal()
        self._lanes: dict[TopicPartition, Lane] = {}
        self._unplaced: list[QueuedRecord] = []  # their topics' leaders are unknown
        self._topics: dict[str, _Known] = {}
        self._identity: Identity | None = None
        self._last_failure: ReplicationError | None = None

    @property
    def last_failure(self) -> ReplicationError | None:
        """Why records are late; None after a success."""
        return self._last_failure

    def monotonic_s(self) -> float:
        return self._loop.monotonic_s()

    def put(self, record: QueuedRecord) -> None:
        """Queue a record. Raises RetriableError when too many wait, or when the sender is closed."""
        with self._lock:
            if self._is_closed or self._waiting >= MOST_WAITING:
                text = f"cluster {self.alias}: the queue of records to send is full"
                raise RetriableError(text, cluster=self.alias, topic=record.topic)
            self._waiting += 1
            is_first = not self._inbox
            self._inbox.append(record)
        if is_first:
            self._loop.call_threadsafe(self._begin)

    def close(self) -> None:
        """Give up what is queued."""
        with self._lock:
            self._is_closed = True
        self._loop.call_threadsafe(self._end)

    def _begin(self) -> None:
        if not self._is_started:
            self._is_started = True
            self._loop.spawn(self._run())
        self._wake.set()

    def _end(self) -> None:
        self._wake.set()
        self._link.close()
        self._take_inbox()
        self._fail_all(RetriableError(f"cluster {self.alias}: {_DOING}: the client was closed", cluster=self.alias))

    async def _run(self) -> None:
        while not self._is_closed:
            await self._wake.wait(_RETRY_S if self._has_waiting() else _IDLE_S)
            await self._loop.sleep(_GATHER_S)
            self._take_inbox()
            self._give_up_late()
            try:
                await self._round()
            except Exception as error:
                self._note_failure(translated(error, cluster=self.alias, doing=_DOING))

    def _has_waiting(self) -> bool:
        return bool(self._unplaced) or any(lane.is_waiting for lane in self._lanes.values())

    def _take_inbox(self) -> None:
        with self._lock:
            taken, self._inbox = self._inbox, []
        self._unplaced += taken

    async def _round(self) -> None:
        """Send what waits and whose partition has nothing in flight."""
        if not self._has_waiting():
            return
        if not self._is_open:
            await self._link.open()
            self._is_open = True
        await self._find_leaders()
        self._place()
        identity = await self._own_identity()
        by_leader: dict[int, list[TopicPartition]] = defaultdict(list)
        for place, lane in self._lanes.items():
            if lane.is_waiting and (leader := self._leader(place)) is not None:
                by_leader[leader].append(place)
        for leader, places in by_leader.items():
            batches = [OutgoingBatch(each.topic, each.partition, self._lanes[each].batch(identity)) for each in places]
            for each in places:
                self._lanes[each].is_in_flight = True
            self._loop.spawn(self._write(leader, batches))

    async def _find_leaders(self) -> None:
        now_s = self.monotonic_s()
        wanted = {each.topic for each in self._unplaced}
        wanted |= {place.topic for place, lane in self._lanes.items() if lane.is_waiting}
        unknown = sorted(each for each in wanted if each not in self._topics or not self._topics[each].is_fresh(now_s))
        for topic, found in (await self._link.describe(unknown) if unknown else {}).items():
            before = self._topics.get(topic)
            was_missing = before is not None and not before.leaders and not found.leaders
            since_s = before.since_s if before is not None and was_missing else now_s
            self._topics[topic] = _Known(found.leaders, since_s, now_s)
            if found.error is not None and found.error not in _PASSING:
                code = KafkaErrorCode.__members__.get(found.error, KafkaErrorCode.UNKNOWN_SERVER_ERROR)
                self._fail_unplaced(topic, self._refusal(topic, code))

    def _place(self) -> None:
        """Queue records at their partitions. Those of a topic that stays unknown fail."""
        now_s = self.monotonic_s()
        for topic in {each.topic for each in self._unplaced}:
            known = self._topics.get(topic)
            if known is None:
                continue
            if known.leaders:
                self._place_at(topic, len(known.leaders))
            elif known.is_missing(now_s):
                self._fail_unplaced(topic, self._refusal(topic, KafkaErrorCode.UNKNOWN_TOPIC_OR_PARTITION))

    def _place_at(self, topic: str, partitions: int) -> None:
        for record in self._take_unplaced(topic):
            place = TopicPartition(topic, record.partition_of(partitions))
            self._lanes.setdefault(place, Lane()).records.append(record)

    def _take_unplaced(self, topic: str) -> list[QueuedRecord]:
        taken = [each for each in self._unplaced if each.topic == topic]
        self._unplaced = [each for each in self._unplaced if each.topic != topic]
        return taken

    def _fail_unplaced(self, topic: str, failure: ReplicationError) -> None:
        self._finish(self._take_unplaced(topic), failure)

    def _leader(self, place: TopicPartition) -> int | None:
        known = self._topics.get(place.topic)
        leader = -1 if known is None else known.leaders.get(place.partition, -1)
        if leader < 0:
            self._topics.pop(place.topic, None)
        return leader if leader >= 0 else None

    async def _own_identity(self) -> Identity:
        if self._identity is None:
            request = InitProducerIdRequest(
                transactional_id=None,
                transaction_timeout_ms=0,
                producer_id=-1,
                producer_epoch=-1,
                max_version=_INIT_VERSION,
            )
            answer = await self._link.send(request, doing=_DOING)
            self._link.check(answer.error_code, _DOING)
            self._identity = Identity(answer.producer_id, answer.producer_epoch)
        return self._identity

    async def _write(self, leader: int, batches: Sequence[OutgoingBatch]) -> None:
        """Send one request. What has to be sent again waits for a moment."""
        timeout_ms = int(DELIVERY_S * 1_000)
        request = ProduceRequest(NEWEST_VERSION, batches, timeout_ms=timeout_ms)
        again = {TopicPartition(batch.topic, batch.partition) for batch in batches}
        try:
            answer: ProduceAnswer = await self._link.send(request, leader, doing=_DOING, timeout_ms=timeout_ms)
        except Exception as error:
            self._note_failure(translated(error, cluster=self.alias, doing=_DOING))
        else:
            ended = {TopicPartition(each.topic, each.partition) for each in answer.results if self._has_ended(each)}
            self._free(ended)
            again -= ended
        if again:
            for place in again:
                self._topics.pop(place.topic, None)
            await self._loop.sleep(_RETRY_S)
            self._free(again)

    def _free(self, places: Collection[TopicPartition]) -> None:
        for place in places:
            if (lane := self._lanes.get(place)) is not None:
                lane.is_in_flight = False
        self._wake.set()

    def _has_ended(self, result: ProduceResult) -> bool:
        """Take in the answer for a batch; returns False when it has to be sent again."""
        place, code = TopicPartition(result.topic, result.partition), result.error_code
        lane = self._lanes[place]
        match kafka_error(code).produce:
            case ErrorAction.DONE:
                self._last_failure = None
                self._finish(lane.acknowledged(), None)
                return True
            case ErrorAction.RETRY:
                self._last_failure = self._refusal(place.topic, code)
                return False
            case ErrorAction.OUT_OF_ORDER | ErrorAction.FENCED:
                self._identity = None
                lane.forget_bytes()
                return False
            case ErrorAction.TOO_LARGE if len(lane.sent) > 1:
                self._identity = None
                lane.split()
                return False
            case _:
                self._identity = None
                self._finish(lane.given_up(), self._refusal(place.topic, code))
                return True

    def _note_failure(self, error: ReplicationError) -> None:
        """Keep the reason for late records; one that only a person can mend fails them at once."""
        self._last_failure = error
        if isinstance(error, ConfigurationError):
            self._fail_all(error)

    def _fail_all(self, error: ReplicationError) -> None:
        self._identity, self._is_open = None, False
        unplaced, self._unplaced = self._unplaced, []
        self._finish(unplaced, error)
        for lane in self._lanes.values():
            self._finish([*lane.given_up(), *lane.records], error)
            lane.records.clear()

    def _give_up_late(self) -> None:
        now_s = self.monotonic_s()
        late = [each for each in self._unplaced if each.until_s <= now_s]
        self._unplaced = [each for each in self._unplaced if each.until_s > now_s]
        for lane in self._lanes.values():
            if lane.sent and not lane.is_in_flight and lane.sent[0].until_s <= now_s:
                self._identity = None
                late += lane.given_up()
            late += lane.expired(now_s)
        if late:
            text = f"cluster {self.alias}: {_DOING}: not acknowledged within {DELIVERY_S:.0f} s"
            self._finish(late, self._last_failure or RetriableError(text, cluster=self.alias))

    def _finish(self, records: list[QueuedRecord], failure: ReplicationError | None) -> None:
        with self._lock:
            self._waiting -= len(records)
        for record in records:
            record.done(failure)

    def _refusal(self, topic: str, code: int) -> ReplicationError:
        text = f"cluster {self.alias} refused to write to {topic}: {error_name(code)}"
        return EXCEPTIONS[control_error_class(code)](text, cluster=self.alias, topic=topic)
