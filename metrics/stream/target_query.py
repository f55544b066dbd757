"""One target's streaming query: from claiming the target to the first failure."""

import contextlib
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from urllib.parse import quote
from weakref import ref

import structlog
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from metrics.errors import RawTopicChangedError, WriterFencedError
from metrics.reporting.query_report import QueryReport, Tasks
from metrics.store.address import connect
from metrics.store.target_store import TargetStore
from metrics.stream.aggregate import AggregateBatch, StoreSettings
from metrics.stream.ledger import reconciled
from metrics.stream.raw_topics import RawTopics
from metrics.stream.sources import raw_stream
from replication.domain.errors import ReplicationError
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin

log = structlog.get_logger()

HEARTBEAT_S = 2.0
# A writer heard of within this time is alive; who has been fenced by it does not take the target back.
WRITER_LIFE_MS = 15_000
_WATCH_S = 1.0
_UNREACHABLE_LIMIT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySettings:
    """Settings of how queries run; the same for all targets of the process."""

    store_url: str
    checkpoints: str  # a folder or URI; what is below it may be lost at any time
    owner: str
    trigger_ms: int
    max_offsets: int | None  # None: by what the records have held so far


class TargetQuery:
    """Runs in its target's own thread. `run` returns when `stop` is set and raises the error that ended the query."""

    def __init__(
        self,
        spark: SparkSession,
        cluster: ClusterClient,
        settings: QuerySettings,
        tasks: Tasks,
        stop: Event,
        now_ms: Callable[[], int],
    ) -> None:
        self._spark = spark
        self._tasks = tasks
        self._cluster = cluster
        self._settings = settings
        self._stop = stop
        self._now_ms = now_ms
        self._heartbeat_s = 0.0

    def run(self, *, fenced: bool) -> None:
        """Claim the target, compare the ledger with the cluster, count until something fails."""
        with contextlib.ExitStack() as stack:
            store = TargetStore(connect(self._settings.store_url), self._cluster.alias, self._settings.owner)
            stack.callback(store.close)
            if fenced and (other := store.other_writer(self._now_ms() - WRITER_LIFE_MS)):
                raise WriterFencedError(f"the metrics of target {self._cluster.alias} are written by {other}")
            raw_topics = RawTopics(open_admin(self._cluster))
            stack.callback(raw_topics.close)
            store.claim(self._now_ms())
            batch = self._prepare(store, raw_topics)
            if batch is None:
                return
            stack.callback(batch.pop_failure)  # which may still be there unread
            query = self._start(batch, store)
            stack.callback(_stop_quietly, query)
            self._watch(query, batch, store, raw_topics)

    def _prepare(self, store: TargetStore, raw_topics: RawTopics) -> AggregateBatch | None:
        """Wait for the first raw topic, then bring the ledger up to date. None when stopped meanwhile."""
        logs = raw_topics.logs()
        while not logs:
            if self._stop.wait(_WATCH_S):
                return None
            self._heartbeat(store)
            logs = raw_topics.logs()
        outcome = reconciled(store.ledger(), logs)
        store.adopt(outcome, self._now_ms())
        for gap in outcome.gaps:
            log.warning(
                "raw metrics lost",
                target=self._cluster.alias,
                topic=gap.topic,
                partition=gap.partition,
                cause=gap.cause,
                from_offset=gap.from_offset,
                to_offset=gap.to_offset,
            )
        self._starts = outcome.starts
        topic_ids = {topic: raw_log.topic_id for (topic, _), raw_log in logs.items()}
        settings = StoreSettings(url=self._settings.store_url)
        return AggregateBatch(store, settings, raw_topics, self._cluster.alias, topic_ids, self._now_ms)

    def _start(self, batch: AggregateBatch, store: TargetStore) -> StreamingQuery:
        """Start the query with a new Spark checkpoint directory: the ledger is the truth, so none is resumed."""
        context = self._spark.sparkContext
        context.setLocalProperty("spark.scheduler.pool", self._cluster.alias)
        max_offsets = self._settings.max_offsets or batch.offsets_per_batch()
        stream = raw_stream(self._spark, self._cluster, self._starts, max_offsets)
        query = (
            stream.writeStream.queryName(self._cluster.alias)
            .foreachBatch(_while_in_use(batch))
            .option("checkpointLocation", self._checkpoint(store.epoch))
            .trigger(processingTime=f"{self._settings.trigger_ms} milliseconds")
            .start()
        )
        log.info("counting raw metrics", target=self._cluster.alias, epoch=store.epoch, partitions=len(self._starts))
        return query

    def _checkpoint(self, epoch: int) -> str:
        prefix = f"ck-{quote(self._cluster.alias, safe='')}-"
        base = self._settings.checkpoints
        if "://" in base:
            return f"{base.rstrip('/')}/{prefix}{epoch}"
        folder = Path(base).absolute()
        for older in folder.glob(f"{prefix}*"):
            if older.name.removeprefix(prefix).isdigit():
                shutil.rmtree(older, ignore_errors=True)
        return (folder / f"{prefix}{epoch}").as_uri()

    def _watch(self, query: StreamingQuery, batch: AggregateBatch, store: TargetStore, raw_topics: RawTopics) -> None:
        reached_s = time.monotonic()
        report = QueryReport(self._cluster.alias, query, batch, raw_topics, store, self._tasks, self._now_ms)
        while not self._stop.wait(_WATCH_S):
            if batch.commit_failed or not query.isActive:
                raise batch.pop_failure() or RuntimeError(_reason(query))
            self._heartbeat(store)
            report.run_due()
            try:
                _check_incarnations(batch.topic_ids, raw_topics)
                reached_s = time.monotonic()
            except ReplicationError:
                if time.monotonic() - reached_s > _UNREACHABLE_LIMIT_S:
                    raise

    def _heartbeat(self, store: TargetStore) -> None:
        if time.monotonic() - self._heartbeat_s >= HEARTBEAT_S:
            store.heartbeat(self._now_ms())
            self._heartbeat_s = time.monotonic()


def _check_incarnations(reading: dict[str, str], raw_topics: RawTopics) -> None:
    """Raise RawTopicChangedError if a topic was re-created. A missing topic is no reason to stop."""
    now = raw_topics.ids(reading)
    changed = sorted(topic for topic, topic_id in now.items() if topic_id != reading[topic])
    if changed:
        raise RawTopicChangedError(f"raw metrics topic {changed[0]} was re-created")


def _while_in_use(batch: AggregateBatch) -> Callable[[DataFrame, int], None]:
    """Return a function that does not keep the batch alive: Spark's JVM holds it long after the query."""
    found = ref(batch)

    def run_batch(frame: DataFrame, number: int) -> None:
        in_use = found()
        if in_use is None:
            raise RuntimeError("the query has ended")
        in_use(frame, number)

    return run_batch


def _reason(query: StreamingQuery) -> str:
    failure = query.exception()
    if failure is None:
        return "the query ended by itself"
    lines = [line for line in str(failure).splitlines() if line.strip()]
    return lines[0] if lines else type(failure).__name__


def _stop_quietly(query: StreamingQuery) -> None:
    """Stop a query. If the JVM is gone or a batch exceeds the time-out, the epoch fences it."""
    with contextlib.suppress(Exception):
        query.stop()
