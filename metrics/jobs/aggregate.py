"""The work of one micro-batch: read by Spark, add up, fold, commit with the ledger. Called by Spark, one at a time."""

import time
from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame, SparkSession

from metrics.batch import BatchChange, folded
from metrics.errors import RawTopicChangedError, drop_frames
from metrics.ledger import IngestGap, LedgerEntry, RawPartition, lost, skipped
from metrics.raw_topics import RawTopics
from metrics.store.target_store import TargetStore
from metrics.transforms.group_rows import Head, SeqKey, TileGroup
from metrics.transforms.records import RawRow
from metrics.transforms.tiles import counted

# Above this the partitions of a target get no 10 s tiles: topics and flows do, partitions start at 1 m.
MAX_TEN_SECOND_SERIES = 20_000
_ACTIVE_EVERY_S = 60.0
# What keeps the process under 1.2 GB while it catches up; a record holds up to some thousand parts.
_PARTS_PER_BATCH = 25_000
_OFFSETS_AT_FIRST, _LEAST_OFFSETS, _MOST_OFFSETS = 250, 50, 5_000


def aggregate(
    frame: DataFrame,
    target: str,
    next_offsets: Mapping[RawPartition, int],
    last_seqs: Mapping[SeqKey, int],
) -> tuple[list[Head], list[TileGroup]]:
    """Read the frame (`KAFKA_COLUMNS`) in one Spark job and add it up: what was read and what the tiles receive."""
    return counted((RawRow(*row) for row in frame.collect()), target, next_offsets, last_seqs)


def warm_up(spark: SparkSession) -> None:
    """Let Spark load and compile what the first batch needs, while the clusters may still be starting."""
    raw = spark.range(1).selectExpr(
        "'warm-up' AS topic", "0 AS partition", "id AS offset", "CAST('{}' AS BINARY) AS value"
    )
    aggregate(raw, "warm-up", {}, {})


def offsets_per_batch(tasks: int, partitions: int) -> int:
    """So many raw records that a catch-up batch stays near `_PARTS_PER_BATCH` parts: memory follows those."""
    if not tasks or not partitions:
        return _OFFSETS_AT_FIRST
    return max(_LEAST_OFFSETS, min(_MOST_OFFSETS, _PARTS_PER_BATCH * tasks // partitions))


class AggregateBatch:
    """Keeps what was committed in memory; any exception ends the query, and the next one loads it anew."""

    def __init__(
        self,
        store: TargetStore,
        raw_topics: RawTopics,
        target: str,
        topic_ids: dict[str, str],
        now_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._raw_topics = raw_topics
        self._target = target
        self._topic_ids = topic_ids
        self._now_ms = now_ms
        self._ledger = store.ledger()
        self._seqs = store.last_seqs()
        self._book = store.book()
        self._active_counted = float("-inf")
        self._ten_seconds = True
        self._failure: Exception | None = None  # py4j hands on only its text

    @property
    def topic_ids(self) -> dict[str, str]:
        """The incarnations that are being read."""
        return dict(self._topic_ids)

    def offsets_per_batch(self) -> int:
        """How many records to take at once, from how many partitions a record was about so far."""
        return offsets_per_batch(len({key.task for key in self._seqs}), len(self._book))

    def __call__(self, frame: DataFrame, _batch_id: int) -> None:
        try:
            self._take(frame)
        except Exception as error:
            self._failure = error
            raise

    def take_failure(self) -> Exception | None:
        """What ended the query, once and without the frames that hold the batch it failed with.

        To be called when the query has ended, whatever ended it: Spark's JVM keeps the same error for as long as it
        keeps the function, which is until a collection of its own.
        """
        failure, self._failure = self._failure, None
        if failure is not None:
            drop_frames(failure)
        return failure

    def _take(self, frame: DataFrame) -> None:
        heads, groups = self._read(frame)
        if not heads:  # only control records and aborted data
            return
        change = folded(heads, groups, self._book, self._now_ms())
        self._check_incarnations(change)
        ledger = {raw: LedgerEntry(self._topic_ids[raw[0]], following) for raw, (_, following) in change.read.items()}
        self._store.commit(
            change,
            ledger,
            self._lost(change),
            partition_ten_seconds=self._partition_ten_seconds(),
            now_ms=self._now_ms(),
        )
        self._ledger |= ledger
        self._seqs |= {key: seq for key, (seq, _) in change.seqs.items()}
        self._book.update(change.states)

    def _read(self, frame: DataFrame) -> tuple[list[Head], list[TileGroup]]:
        """Read until every topic's id was known before the read: with the check after it, one incarnation is proven."""
        while True:
            heads, groups = self._aggregate(frame)
            new = {head.topic for head in heads} - self._topic_ids.keys()
            if not new:
                return heads, groups
            found = self._raw_topics.ids(new)
            if new - found.keys():
                raise RawTopicChangedError(f"raw metrics topic {min(new - found.keys())} vanished while it was read")
            self._topic_ids |= found

    def _aggregate(self, frame: DataFrame) -> tuple[list[Head], list[TileGroup]]:
        next_offsets = {raw: entry.next_offset for raw, entry in self._ledger.items()}
        return aggregate(frame, self._target, next_offsets, self._seqs)

    def _check_incarnations(self, change: BatchChange) -> None:
        now = self._raw_topics.ids(change.raw_topics)
        for topic in change.raw_topics:
            counted = {entry.topic_id for (name, _), entry in self._ledger.items() if name == topic}
            if {now.get(topic), self._topic_ids[topic]} | counted != {now.get(topic)}:
                raise RawTopicChangedError(f"raw metrics topic {topic} was re-created while it was read")

    def _lost(self, change: BatchChange) -> tuple[IngestGap, ...]:
        passed_over = skipped(change.read, self._ledger)
        return lost(passed_over, self._ledger, self._raw_topics.log_starts(passed_over)) if passed_over else ()

    def _partition_ten_seconds(self) -> bool:
        now_s = time.monotonic()
        if now_s - self._active_counted >= _ACTIVE_EVERY_S:
            self._active_counted = now_s
            self._ten_seconds = self._book.active(self._now_ms()) <= MAX_TEN_SECOND_SERIES
        return self._ten_seconds
