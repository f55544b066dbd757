"""The steps of a backfill: Spark's tasks fold the records of each with the stages of the stream, the store keeps them.

The driver has sums of topics and sequence numbers of tasks in memory, and of partitions nothing.
"""

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from metrics.counting.flow_totals import FlowTotals
from metrics.counting.group_rows import SeqKey
from metrics.counting.head_totals import HeadTotals, needs_one_guard, united_heads
from metrics.jobs.context import JobContext
from metrics.store.backfill.backfill_range import BackfillRange
from metrics.store.backfill.backfill_store import BackfillStore, TakenStep
from metrics.store.connection import Connection, SharedConnection
from metrics.stream.aggregate import SMALL_BATCH_REPORTS, StoreSettings, offsets_per_batch
from metrics.stream.executor_tasks import BatchTask
from metrics.stream.shard_labels import labels
from metrics.stream.stages import BatchResult, run_stages, shards_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedStep:
    """A step that is in the store as soon as the caller's transaction is committed."""

    result: BatchResult
    heads: HeadTotals
    taken: TakenStep


class BackfillFolding:
    """Takes the steps of a backfill, one after the other."""

    def __init__(self, context: JobContext, shared: SharedConnection, backfill: BackfillRange) -> None:
        self._context = context
        self._shared = shared
        self._backfill = backfill
        self._target = context.target.alias
        self._settings = StoreSettings(url=context.store_url)
        self._seqs: dict[SeqKey, int] = {}
        self._flows = FlowTotals({})
        self._step = 0
        self._partitions = 0
        self._reports = 0  # of the last step
        self._shards = 0
        self._committed: dict[int, int] = {}  # by shard

    def narrow(self, from_ms: int) -> None:
        """Leave out the times before this one from here on: they have been exchanged."""
        self._backfill = replace(self._backfill, from_ms=from_ms)

    def most_records(self) -> int:
        """As the stream bounds its batches: by how many partitions a record was about so far."""
        return offsets_per_batch(len({key.task for key in self._seqs}), self._partitions)

    def take(self, frame: DataFrame) -> None:
        """Fold the records of a step and keep what they come to."""
        result = self._fold(frame)
        with self._shared.writing(f"backfill of {self._target}") as connection:
            step = self._write(connection, result, self._backfill)
        self.accept(step)
        with self._shared.reading() as connection:
            self._partitions = BackfillStore(self._target, self._backfill).partitions(connection)

    def take_within(self, connection: Connection, frame: DataFrame) -> FoldedStep:
        """Fold in one task while the target's writers wait, and write in their transaction; to be accepted after it.

        BatchOutdatedError when the task would have to write.
        """
        waited_for = replace(self._backfill, writers_wait=True)
        return self._write(connection, run_stages(frame, self._task(waited_for, 1)), waited_for)

    def accept(self, step: FoldedStep) -> None:
        """Continue after this step, which has been committed."""
        self._flows.update(step.taken.flows.topics)
        self._seqs |= {key: seq for key, (seq, _) in step.heads.seqs.items()}
        self._reports = step.result.reports
        if self._shards != step.result.of_shards:
            self._shards, self._committed = step.result.of_shards, {}
        self._committed |= {shard.shard: shard.attempt for shard in step.result.shards}

    def _fold(self, frame: DataFrame) -> BatchResult:
        shards = 1 if self._reports < SMALL_BATCH_REPORTS else shards_of(frame.sparkSession)
        result = run_stages(frame, self._task(self._backfill, shards))
        if shards > 1 and needs_one_guard(result.heads):
            result = run_stages(frame, self._task(self._backfill, 1))
        return result

    def _task(self, backfill: BackfillRange, shards: int) -> BatchTask:
        self._step += 1
        return BatchTask(
            target=self._target,
            store_url=self._settings.url,
            epoch=backfill.backfill_id,
            batch=self._step,
            now_ms=self._context.now_ms(),
            partition_ten_seconds=True,
            staged=shards > 1 and self._settings.takes_staged_rows,
            labels=labels(shards),
            committed=self._committed if self._shards == shards else {},
            next_offsets={},
            last_seqs=self._seqs,
            backfill=backfill,
        )

    def _write(self, connection: Connection, result: BatchResult, backfill: BackfillRange) -> FoldedStep:
        store = BackfillStore(self._target, backfill)
        taken = store.take(connection, self._step, result.shards, self._flows, self._context.now_ms())
        return FoldedStep(result=result, heads=united_heads(result.heads), taken=taken)
