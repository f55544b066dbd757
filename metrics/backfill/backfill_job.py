"""The job `backfill`: counts a time range of raw metrics again and replaces its tiles, in step with the stream.

Spark's tasks fold the records with the stages of the stream, in steps as large as its batches; all raw partitions are
read abreast, cut by the time of their records. Tiles and states of the range wait in tables of the store. Then each
hour is replaced in one transaction. The stream continues meanwhile. What it has counted up to that moment is what the
ledger says, so the last, short range of records is folded while the target's writers wait.
"""

import contextlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain

import structlog
from pyspark.sql import DataFrame

from metrics.backfill.backfill_folding import BackfillFolding
from metrics.backfill.backfill_steps import (
    TEN_SECONDS_SAFE_MS,
    HourRange,
    Offsets,
    check_complete,
    cut_times,
    steps,
    wanted_range,
    within,
)
from metrics.counting.rollup_totals import HEARD_WITHIN_MS, MEMBER_WITHIN_MS
from metrics.errors import BatchOutdatedError, JobError, MetricsError, RawTopicChangedError, StoreUnavailableError
from metrics.jobs.context import JobContext
from metrics.store.backfill import running
from metrics.store.backfill.backfill_range import HOUR_MS, BackfillRange, new_backfill_id
from metrics.store.backfill.hour_exchange import HourExchange
from metrics.store.connection import Connection, SharedConnection
from metrics.store.rollup import rolled_hours_to
from metrics.store.target_store import TargetStore
from metrics.stream.aggregate import MAX_TEN_SECOND_SERIES
from metrics.stream.ledger import LedgerEntry, RawPartition
from metrics.stream.sources import KAFKA_COLUMNS, kafka_options
from replication.domain.identifiers import TopicPartition
from replication.domain.reporting.metric_defs import TileWidth
from replication.kafka.admin import KafkaClusterAdmin

log = structlog.get_logger()

# Read before the range: its first reports follow on those, and a partition that is silent for less counts as unknown.
_MARGIN_MS = MEMBER_WITHIN_MS + HEARD_WITHIN_MS
_MOST_ATTEMPTS = 10  # to replace an hour, while the stream counts faster than is read
_MOST_TOUCHED = 2_000  # series whose tiles are exchanged one by one while the target's writers wait
_MOST_POLLED = 50  # records that a consumer holds in the JVM; each may have thousands of parts
_READ, _REPLACED = 0.8, 1.0  # how much is done

Ledger = Mapping[RawPartition, LedgerEntry]


def run_backfill(context: JobContext) -> None:
    """Spec: `{from_ms, to_ms}`, widened to whole hours."""
    shared = context.store()
    store = TargetStore(shared, context.target.alias, "backfill")
    try:
        with shared.reading() as connection:
            rolled_to_ms = rolled_hours_to(connection, context.target.alias)
        wanted = wanted_range(context.spec, rolled_to_ms)
        _Backfill(context, shared, store, wanted).run()
    finally:
        store.close()


def replaced_since(connection: Connection, target: str, from_ms: int) -> str | None:
    """A raw topic of the target whose earlier records were found gone by other ways than age since then."""
    rows = connection.rows(
        "SELECT topic FROM ingest_gap WHERE target = ? AND detected_ms >= ? "
        "AND cause IN ('topic_recreated', 'truncated') ORDER BY id LIMIT 1",
        (target, from_ms),
    )
    return str(rows[0][0]) if rows else None


class _Backfill:
    def __init__(self, context: JobContext, shared: SharedConnection, store: TargetStore, wanted: HourRange) -> None:
        self._context = context
        self._shared = shared
        self._store = store
        self._alias = context.target.alias
        self._range = wanted
        self._ledger: Ledger = store.ledger()  # as it was at the start
        is_recent = wanted.from_ms >= context.now_ms() - TEN_SECONDS_SAFE_MS
        finest: TileWidth = "10s" if is_recent else "1m"
        has_too_many = store.active_partitions(context.now_ms() - HEARD_WITHIN_MS) > MAX_TEN_SECOND_SERIES
        self._backfill = BackfillRange(
            backfill_id=new_backfill_id(),
            from_ms=wanted.from_ms,
            to_ms=wanted.to_ms,
            widths={"partition": "1m" if has_too_many else finest, "topic": finest, "flow": finest},
        )
        self._steps = BackfillFolding(context, shared, self._backfill)

    def run(self) -> None:
        if not self._ledger:
            raise JobError(f"nothing has been counted of target {self._alias} yet")
        self._check_incarnations()
        ends = {raw: entry.next_offset for raw, entry in self._ledger.items()}
        running.begin(self._shared, self._alias, self._backfill.backfill_id, self._context.job_id)
        try:
            with closing(KafkaClusterAdmin(self._context.target)) as admin:
                starts = self._starts(admin, ends)
                self._read(starts, ends, self._cuts(admin, ends))
            at: Offsets = ends
            for number, hour_ms in enumerate(self._range.hours, 1):
                at = self._replace(hour_ms, at)
                done = _READ + (_REPLACED - _READ) * number / len(self._range.hours)
                self._context.progress(done, f"{number} of {len(self._range.hours)} hours replaced")
        finally:
            with contextlib.suppress(MetricsError):  # the next backfill deletes them
                running.end(self._shared, self._backfill.backfill_id)

    def _check_incarnations(self) -> None:
        """JobError when the tiles hold what a raw topic held before it was re-created."""
        with self._shared.reading() as connection:
            topic = replaced_since(connection, self._context.target.alias, self._range.from_ms)
        if topic is not None:
            raise JobError(
                f"{topic} was re-created or truncated after the start of the range: its tiles hold more than can be "
                "counted again, so they are kept"
            )

    def _starts(self, admin: KafkaClusterAdmin, ends: Offsets) -> Offsets:
        """Return the offsets at which reading begins; JobError when the raw topics hold the range no more."""
        partitions = [TopicPartition(topic, partition) for topic, partition in ends]
        earliest = admin.list_offsets(partitions, "earliest")
        since = admin.offsets_at(partitions, self._range.from_ms - _MARGIN_MS)
        first = admin.offsets_at(partitions, self._range.from_ms)
        starts: dict[RawPartition, int] = {}
        for each, log_start in earliest.items():
            raw = (each.topic, each.partition)
            check_complete(each.topic, each.partition, log_start=log_start, first_in_range=first.get(each))
            starts[raw] = max(log_start, min(since.get(each, ends[raw]), ends[raw]))
        missing = sorted(ends.keys() - starts.keys())
        if missing:
            raise JobError(f"{missing[0][0]} is gone, so its tiles cannot be counted again")
        return starts

    def _cuts(self, admin: KafkaClusterAdmin, ends: Offsets) -> Iterator[Offsets]:
        """Yield the offsets of the raw partitions at the times of `cut_times`, not beyond `ends`."""
        partitions = [TopicPartition(topic, partition) for topic, partition in ends]
        for time_ms in cut_times(self._range):
            self._context.check_cancelled()
            found = admin.offsets_at(partitions, time_ms)
            yield {
                (each.topic, each.partition): min(offset, found.get(each, offset))
                for each, offset in zip(partitions, ends.values(), strict=True)
            }

    def _read(self, starts: Offsets, ends: Offsets, cuts: Iterable[Offsets]) -> None:
        total = max(1, sum(ends[raw] - starts[raw] for raw in ends))
        for at in self._taken(starts, chain(cuts, (ends,))):
            read = sum(at[raw] - starts[raw] for raw in ends)
            self._context.progress(_READ * read / total, f"{read:,} of {total:,} raw records counted again")

    def _taken(self, starts: Offsets, cuts: Iterable[Offsets]) -> Iterator[Offsets]:
        """Take the records up to the last cut in steps that bound the memory of a task; yields the end of each."""
        at = starts
        for to in steps(starts, cuts, self._steps.most_records):
            self._context.check_cancelled()
            self._steps.take(self._frame(at, to))
            at = to
            yield at

    def _replace(self, hour_ms: int, at: Offsets) -> Offsets:
        """Replace one hour; the offsets up to which its records are counted."""
        for attempt in range(_MOST_ATTEMPTS):
            at = self._caught_up(at, self._steps.most_records() if attempt == 0 else 0)
            exchange = HourExchange(self._alias, self._backfill, hour_ms)
            with self._shared.reading() as connection:
                exchange.prepare(connection, self._context.check_cancelled)
            self._context.check_cancelled()
            try:
                at = self._exchanged(exchange, at, writers_wait=attempt > 0)
            except (BatchOutdatedError, StoreUnavailableError) as error:
                if attempt == _MOST_ATTEMPTS - 1 or (not isinstance(error, BatchOutdatedError) and attempt > 0):
                    raise
                log.info("an hour is prepared again", target=self._alias, hour_ms=hour_ms, reason=str(error))
                continue
            log.info("tiles of an hour counted again", target=self._alias, hour_ms=hour_ms)
            self._steps.narrow(hour_ms + HOUR_MS)
            for part in exchange.parts:
                running.delete_part(self._shared, self._backfill.backfill_id, part)
            return at
        raise AssertionError("the last attempt raises")

    def _caught_up(self, at: Offsets, most: int) -> Offsets:
        """Read on until the stream is no more than so many records ahead, or was asked often enough."""
        for _ in range(_MOST_ATTEMPTS):
            starts, ends = within(at, self._checked(self._store.ledger()))
            at = starts
            if sum(ends.values()) - sum(starts.values()) <= most:
                break
            for to in self._taken(starts, (ends,)):
                at = to
        return at

    def _exchanged(self, exchange: HourExchange, at: Offsets, *, writers_wait: bool) -> Offsets:
        """Exchange the tiles and count what the stream has counted since, in one transaction.

        A late record that the stream writes in the middle of it waits for a row, and the exchange for the stream:
        StoreUnavailableError. If `writers_wait` from the beginning, this cannot be.
        """
        step = None
        with self._shared.writing(self._alias if writers_wait else f"hour of {self._alias}") as connection:
            exchange.exchange(connection)
            connection.hold_off(self._alias)
            starts, ends = within(at, self._checked(self._store.ledger_within(connection)))
            ahead = sum(ends.values()) - sum(starts.values())
            if ahead > 2 * self._steps.most_records():
                raise BatchOutdatedError(f"the stream has counted {ahead:,} records meanwhile")
            if ahead:
                step = self._steps.take_within(connection, self._frame(starts, ends))
                touched = exchange.touched(step.taken.touched)
                if (count := sum(map(len, touched.values()))) > _MOST_TOUCHED:
                    raise BatchOutdatedError(f"{count:,} series have late records")
                exchange.exchange_again(connection, touched)
            exchange.end(connection)
        if step is not None:
            self._steps.accept(step)
        return ends

    def _checked(self, ledger: Ledger) -> Ledger:
        """The ledger, if it is one of the incarnations that were read."""
        if any(ledger[raw].topic_id != entry.topic_id for raw, entry in self._ledger.items()):
            raise RawTopicChangedError(f"a raw metrics topic of {self._alias} was re-created meanwhile: ask again")
        return ledger

    def _frame(self, at: Offsets, to: Offsets) -> DataFrame:
        starts: defaultdict[str, dict[str, int]] = defaultdict(dict)
        ends: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for raw in to:
            if at[raw] < to[raw]:
                topic, partition = raw[0], str(raw[1])
                starts[topic][partition], ends[topic][partition] = at[raw], to[raw]
        options = kafka_options(self._context.target) | {
            "assign": json.dumps({topic: sorted(map(int, found)) for topic, found in starts.items()}),
            "startingOffsets": json.dumps(starts),
            "endingOffsets": json.dumps(ends),
            "failOnDataLoss": "true",  # what retention deletes meanwhile must not make the tiles smaller
            # Spark keeps consumers by group, and with each what it has fetched: a group per step fills the heap.
            "kafka.group.id": f"srm-metrics-{self._alias}-backfill",
            "kafka.max.poll.records": str(_MOST_POLLED),
        }
        del options["subscribePattern"]
        frame = self._context.spark.read.format("kafka").options(**options).load()
        return frame.select(*KAFKA_COLUMNS)
