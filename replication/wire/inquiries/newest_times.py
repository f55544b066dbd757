"""The timestamp of the newest record of many topics, by a few requests for all of them."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from replication.codecs.record_batch import batches
from replication.domain.identifiers import TopicPartition
from replication.domain.kafka_error_codes import KafkaErrorCode
from replication.domain.offsets.positions import NO_TOPIC_ID
from replication.domain.plan.slot import ClusterClient
from replication.ports.fetch.batch_fetcher import FetchedPartition, FetchPosition
from replication.wire.fetch.fetch_request import FetchAnswer, FetchCall, FetchRequest
from replication.wire.inquiries.blocking_link import BlockingLink
from replication.wire.network.loop import EngineLoop

_LOOK_BACK = (10, 1_000)  # markers of transactions have offsets, too: the last record may precede the last offset
_MAX_WAIT_MS, _PARTITION_BYTES, _MAX_BYTES = 50, 64 * 1024, 4 * 1024 * 1024
_PARTITION = 0
_DOING = "reading the newest records"
_IGNORED = frozenset({KafkaErrorCode.UNKNOWN_TOPIC_OR_PARTITION, KafkaErrorCode.OFFSET_OUT_OF_RANGE})
Offsets = Mapping[TopicPartition, int]


class WireNewestTimes:
    """Of one cluster; blocking, one thread at a time. Reads again only topics whose end has moved."""

    def __init__(self, cluster: ClusterClient, loop: EngineLoop | None = None) -> None:
        """With a loop that others use, too, no thread is started."""
        self._blocking = BlockingLink(cluster, "srm-newest", loop)
        self._known: dict[str, tuple[int, int]] = {}  # topic -> end offset, timestamp

    def newest_ms(self, topics: Collection[str]) -> Mapping[str, int]:
        """Return the timestamp of each topic's newest record in partition 0; missing and empty topics are missing.

        Raises the errors of ClusterLink.
        """
        return self._blocking.run(lambda: self._newest(topics)) if topics else {}

    def close(self) -> None:
        self._blocking.close()

    async def _newest(self, topics: Collection[str]) -> dict[str, int]:
        link = self._blocking.link
        described = await link.describe(sorted(topics))
        leaders = {
            TopicPartition(name, _PARTITION): found.leaders[_PARTITION]
            for name, found in described.items()
            if found.error is None and _PARTITION in found.leaders
        }
        ends = await link.offsets(dict.fromkeys(leaders, "latest"))
        moved = {place: end for place, end in ends.items() if self._known.get(place.topic, (0, 0))[0] != end}
        if moved:
            starts = await link.offsets(dict.fromkeys(moved, "earliest"))
            await self._read_moved(starts, moved, leaders)
        self._known = {place.topic: self._known[place.topic] for place in ends if place.topic in self._known}
        return {topic: timestamp for topic, (_, timestamp) in self._known.items()}

    async def _read_moved(self, starts: Offsets, ends: Offsets, leaders: Mapping[TopicPartition, int]) -> None:
        unread = {place: end for place, end in ends.items() if starts.get(place, end) < end}
        for place in ends.keys() - unread.keys():
            self._known.pop(place.topic, None)  # it is empty now
        for distance in _LOOK_BACK:
            by_leader: dict[int, dict[TopicPartition, int]] = defaultdict(dict)
            for place, end in unread.items():
                by_leader[leaders[place]][place] = max(starts[place], end - distance)
            for leader, positions in by_leader.items():
                for topic, timestamp in (await self._fetch(leader, positions)).items():
                    self._known[topic] = (unread.pop(TopicPartition(topic, _PARTITION)), timestamp)
            if not unread:
                return

    async def _fetch(self, leader: int, positions: Offsets) -> dict[str, int]:
        wanted = [FetchPosition(each.topic, NO_TOPIC_ID, each.partition, at, -1) for each, at in positions.items()]
        call = FetchCall(
            by_id=False,
            max_wait_ms=_MAX_WAIT_MS,
            min_bytes=1,
            max_bytes=_MAX_BYTES,
            isolation=0,
            session_id=0,
            session_epoch=-1,
            wanted=wanted,
            forgotten=(),
            partition_max_bytes=_PARTITION_BYTES,
        )
        link = self._blocking.link
        answer: FetchAnswer = await link.send(FetchRequest(call, {}), leader, doing=_DOING)
        try:
            link.check(answer.error_code, _DOING)
            found = {each.topic: self._newest_of(each) for each in answer.partitions}
        finally:
            if answer.frame is not None:
                answer.frame.release()
        return {topic: timestamp for topic, timestamp in found.items() if timestamp is not None}

    def _newest_of(self, fetched: FetchedPartition) -> int | None:
        if fetched.error_code not in _IGNORED:
            self._blocking.link.check(fetched.error_code, f"{_DOING} of {fetched.topic}")
        if fetched.records is None:
            return None
        times = [header.max_timestamp for _, header in batches(fetched.records) if not header.is_control]
        return times[-1] if times else None
