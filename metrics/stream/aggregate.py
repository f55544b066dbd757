"""Runs a micro-batch: Spark's tasks count and fold it, the driver commits it while they begin with the next one."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from metrics.counting.flow_totals import FlowTotals
from metrics.counting.head_totals import HeadTotals, needs_one_guard, united_heads
from metrics.counting.rollup_totals import HEARD_WITHIN_MS
from metrics.errors import BatchOutdatedError, RawTopicChangedError, drop_frames
from metrics.reporting.query_minute import Counted
from metrics.store.batch_commit import PreparedBatch
from metrics.store.target_store import TargetStore
from metrics.stream.background_commit import BackgroundCommit
from metrics.stream.executor_tasks import BatchTask
from metrics.stream.ledger import LedgerEntry, RawGap, RawPartition, lost, skipped
from metrics.stream.raw_topics import RawTopics
from metrics.stream.shard_labels import labels
from metrics.stream.stages import BatchResult, run_stages, shards_of

# Above this the partitions of a target get no 10 s tiles: topics and flows do, partitions start at 1 m.
MAX_TEN_SECOND_SERIES = 20_000
# A batch of fewer reports is cheaper in one task than a shuffle is; see ADR 17.
SMALL_BATCH_REPORTS = 8_000
_ACTIVE_EVERY_S = 60.0
_MOST_FOLDS = 5
# What keeps the process small while it catches up; a record holds up to some thousand parts.
_PARTS_PER_BATCH = 50_000
_OFFSETS_AT_FIRST, _LEAST_OFFSETS, _MOST_OFFSETS = 250, 50, 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """The settings by which tasks reach the store."""

    url: str

    @property
    def takes_staged_rows(self) -> bool:
        """Return True if tasks may write rows; SQLite has one writer, the driver."""
        return not self.url.startswith("sqlite")


def warm_up(spark: SparkSession) -> None:
    """Let Spark load and compile what the first batch needs, while the clusters may still be starting."""
    raw = spark.range(1).selectExpr(
        "'warm-up' AS topic", "0 AS partition", "id AS offset", "CAST('{}' AS BINARY) AS value"
    )
    task = BatchTask(
        target="warm-up",
        store_url="",
        epoch=0,
        batch=0,
        now_ms=0,
        partition_ten_seconds=True,
        staged=False,
        labels=labels(1),
        committed={},
        next_offsets={},
        last_seqs={},
    )
    run_stages(raw, task)


def offsets_per_batch(tasks: int, partitions: int) -> int:
    """Return the number of raw records that hold about `_PARTS_PER_BATCH` parts, which bounds memory."""
    if not tasks or not partitions:
        return _OFFSETS_AT_FIRST
    return max(_LEAST_OFFSETS, min(_MOST_OFFSETS, _PARTS_PER_BATCH * tasks // partitions))


class AggregateBatch:
    """Keeps in memory what was handed to the store; any exception ends the query, and the next one loads it again.

    A batch of two stages on PostgreSQL is committed in the background: the tasks of the next batch validate and cut
    its records meanwhile, and read the store only when its ledger holds what is being committed.
    """

    def __init__(
        self,
        store: TargetStore,
        settings: StoreSettings,
        raw_topics: RawTopics,
        target: str,
        topic_ids: dict[str, str],
        now_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._settings = settings
        self._raw_topics = raw_topics
        self._target = target
        self._topic_ids = topic_ids
        self._now_ms = now_ms
        self._ledger = store.ledger()
        self._seqs = store.last_seqs()
        self._flows = FlowTotals(store.topic_totals())
        self._batch = 0
        self._background = BackgroundCommit()
        self._awaited: dict[RawPartition, int] = {}  # the offsets that the background writes into the ledger
        self._reports = 0  # of the last batch
        self._counted = Counted()
        self._shards = 0
        self._committed: dict[int, int] = {}  # by shard
        self._active_counted = float("-inf")
        self._ten_seconds = True
        self._failure: Exception | None = None  # py4j hands on only its text

    @property
    def topic_ids(self) -> dict[str, str]:
        """Return the ids of the raw topics that are read."""
        return dict(self._topic_ids)

    @property
    def ledger(self) -> dict[RawPartition, LedgerEntry]:
        """The ledger as the last batch leaves it."""
        return dict(self._ledger)

    @property
    def counted(self) -> Counted:
        """Reports and bad records of the batches since the start of the query."""
        return self._counted

    def offsets_per_batch(self) -> int:
        """Return the number of raw records per batch, from the partitions per record so far."""
        return offsets_per_batch(len({key.task for key in self._seqs}), self._store.partitions())

    def __call__(self, frame: DataFrame, _batch_id: int) -> None:
        try:
            self._take(frame)
        except Exception as error:
            self._failure = error
            raise

    @property
    def commit_failed(self) -> bool:
        """Return True if a commit in the background has failed: the query has to end."""
        return self._background.failed

    def settle(self) -> None:
        """Wait until the last batch is committed."""
        self._background.settle()

    def pop_failure(self) -> Exception | None:
        """Return the error that ended the query, once and without the frames that hold the batch it failed with.

        To be called when the query has ended, for any reason: Spark's JVM keeps the same error for as long as it
        keeps the function, which is until its own collection.
        """
        failure, self._failure = self._failure, None
        error = self._background.pop_error()
        failure = error if isinstance(error, Exception) else failure
        if failure is not None:
            drop_frames(failure)
        return failure

    def _take(self, frame: DataFrame) -> None:
        if self.commit_failed:
            self.settle()
        for attempt in range(_MOST_FOLDS):
            result = self._fold(frame)
            if not result.heads:  # only control records and aborted data
                return
            try:
                self._commit(result)
            except BatchOutdatedError:
                if attempt == _MOST_FOLDS - 1:
                    raise
            else:
                return

    def _fold(self, frame: DataFrame) -> BatchResult:
        """Fold until each topic's id is known before the read. The check after it then proves a single incarnation."""
        shards = 1 if self._reports < SMALL_BATCH_REPORTS else shards_of(frame.sparkSession)
        while True:
            self._batch += 1
            result = run_stages(frame, self._task(labels(shards)))
            new = {topic for head in result.heads for topic in head.raw_topics} - self._topic_ids.keys()
            if new:
                found = self._raw_topics.ids(new)
                if new - found.keys():
                    raise RawTopicChangedError(
                        f"raw metrics topic {min(new - found.keys())} vanished while it was read"
                    )
                self._topic_ids |= found
            elif shards > 1 and needs_one_guard(result.heads):
                shards = 1
            else:
                return result

    def _task(self, shard_labels: tuple[int, ...]) -> BatchTask:
        shards = len(shard_labels)
        return BatchTask(
            target=self._target,
            store_url=self._settings.url,
            epoch=self._store.epoch,
            batch=self._batch,
            now_ms=self._now_ms(),
            partition_ten_seconds=self._partition_ten_seconds(),
            staged=shards > 1 and self._settings.takes_staged_rows,
            labels=shard_labels,
            committed=self._committed if self._shards == shards else {},
            next_offsets={raw: entry.next_offset for raw, entry in self._ledger.items()},
            last_seqs=self._seqs,
            awaited=self._awaited,
        )

    def _commit(self, result: BatchResult) -> None:
        self._background.settle()
        heads = united_heads(result.heads)
        self._check_incarnations(heads)
        ledger = {raw: LedgerEntry(self._topic_ids[raw[0]], following) for raw, (_, following) in heads.read.items()}
        commit = partial(
            self._store.commit,
            PreparedBatch(number=self._batch, heads=heads, shards=result.shards),
            self._flows,
            ledger,
            self._lost(heads),
            now_ms=self._now_ms(),
        )
        if result.of_shards > 1 and self._settings.takes_staged_rows:
            self._background.start(lambda checked: commit(when_checked=checked))
            self._awaited = {raw: entry.next_offset for raw, entry in ledger.items()}
        else:
            commit()
            self._awaited = {}
        self._ledger |= ledger
        self._seqs |= {key: seq for key, (seq, _) in heads.seqs.items()}
        self._reports = result.reports
        self._counted = Counted(
            reports=self._counted.reports + result.reports,
            bad_records=self._counted.bad_records + sum(bad.count for bad in heads.bad.values()),
        )
        if self._shards != result.of_shards:
            self._shards, self._committed = result.of_shards, {}
        self._committed |= {shard.shard: shard.attempt for shard in result.shards}

    def _check_incarnations(self, heads: HeadTotals) -> None:
        now = self._raw_topics.ids(heads.raw_topics)
        for topic in heads.raw_topics:
            counted = {entry.topic_id for (name, _), entry in self._ledger.items() if name == topic}
            if {now.get(topic), self._topic_ids[topic]} | counted != {now.get(topic)}:
                raise RawTopicChangedError(f"raw metrics topic {topic} was re-created while it was read")

    def _lost(self, heads: HeadTotals) -> tuple[RawGap, ...]:
        passed_over = skipped(heads.read, self._ledger)
        return lost(passed_over, self._ledger, self._raw_topics.log_starts(passed_over)) if passed_over else ()

    def _partition_ten_seconds(self) -> bool:
        now_s = time.monotonic()
        if now_s - self._active_counted >= _ACTIVE_EVERY_S:
            self._active_counted = now_s
            self._ten_seconds = self._store.active_partitions(self._now_ms() - HEARD_WITHIN_MS) <= MAX_TEN_SECOND_SERIES
        return self._ten_seconds
