"""The job `backfill`: counts a time range of raw metrics again and replaces its tiles, in step with the stream.

The stream continues meanwhile. What it has counted up to the moment of the exchange is what the ledger says, so the
last, short range is read while the target's writers wait, and old and new tiles are exchanged in that transaction.
All raw partitions are read abreast, cut by the time of their records, in steps as large as the stream's batches.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain

import structlog
from pyspark.sql import DataFrame

from metrics.backfill.backfill_steps import (
    REPLACED,
    TEN_SECONDS_SAFE_MS,
    HourRange,
    Offsets,
    Recount,
    check_complete,
    cut_times,
    steps,
    wanted_range,
)
from metrics.counting.batch import folded
from metrics.counting.group_rows import SeqKey
from metrics.counting.records import RawRow
from metrics.counting.rollup_totals import HEARD_WITHIN_MS, MEMBER_WITHIN_MS
from metrics.counting.tiles import counted
from metrics.errors import JobError, RawTopicChangedError
from metrics.jobs.context import JobContext
from metrics.schemas import tile_table
from metrics.store.connection import Connection, SharedConnection
from metrics.store.rollup import rolled_hours_to
from metrics.store.target_store import TargetStore
from metrics.store.tile_writer import add_tiles
from metrics.stream.aggregate import offsets_per_batch
from metrics.stream.ledger import RawPartition
from metrics.stream.sources import KAFKA_COLUMNS, kafka_options
from replication.domain.identifiers import TopicPartition
from replication.domain.reporting.metric_defs import WIDTHS_MS, TileWidth
from replication.kafka.admin import KafkaClusterAdmin

log = structlog.get_logger()

# Read before the range: its first reports follow on those, and a partition that is silent for less counts as unknown.
_MARGIN_MS = MEMBER_WITHIN_MS + HEARD_WITHIN_MS


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
        self._range = wanted
        is_recent = wanted.from_ms >= context.now_ms() - TEN_SECONDS_SAFE_MS
        self._width: TileWidth = "10s" if is_recent else "1m"
        self._recount = Recount(wanted, self._width)
        self._seqs: dict[SeqKey, int] = {}

    def run(self) -> None:
        ledger = self._store.ledger()
        if not ledger:
            raise JobError(f"nothing has been counted of target {self._context.target.alias} yet")
        self._check_incarnations()
        ends = {raw: entry.next_offset for raw, entry in ledger.items()}
        with closing(KafkaClusterAdmin(self._context.target)) as admin:
            starts = self._starts(admin, ends)
            self._read(starts, ends, self._cuts(admin, ends), 0.9)
        self._context.check_cancelled()
        alias = self._context.target.alias
        with self._shared.writing(alias) as connection:
            after = self._store.ledger_within(connection)
            if {raw: after[raw].topic_id for raw in ends} != {raw: ledger[raw].topic_id for raw in ends}:
                raise RawTopicChangedError(f"a raw metrics topic of {alias} was re-created meanwhile: ask again")
            self._read(ends, {raw: after[raw].next_offset for raw in ends}, (), 0.95)
            self._exchange(connection)
        self._context.progress(1.0, f"{(self._range.to_ms - self._range.from_ms) // WIDTHS_MS['1h']} hours replaced")

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

    def _read(self, starts: Offsets, ends: Offsets, cuts: Iterable[Offsets], done_at: float) -> None:
        """Count [starts, ends) in steps that bound the memory; order within a partition is kept."""
        at, total = starts, max(1, sum(ends[raw] - starts[raw] for raw in ends))
        for to in steps(starts, chain(cuts, (ends,)), self._most_records):
            self._context.check_cancelled()
            self._count(self._frame({raw: (at[raw], to[raw]) for raw in ends if at[raw] < to[raw]}))
            at = to
            read = sum(at[raw] - starts[raw] for raw in ends)
            self._context.progress(done_at * read / total, f"{read:,} of {total:,} raw records counted again")

    def _most_records(self) -> int:
        """As the stream bounds its batches: by how many partitions a record was about so far."""
        return offsets_per_batch(len({key.task for key in self._seqs}), len(self._recount.series_state))

    def _frame(self, ranges: Mapping[RawPartition, tuple[int, int]]) -> DataFrame:
        starts: defaultdict[str, dict[str, int]] = defaultdict(dict)
        ends: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for (topic, partition), (first, following) in ranges.items():
            starts[topic][str(partition)], ends[topic][str(partition)] = first, following
        options = kafka_options(self._context.target) | {
            "assign": json.dumps({topic: sorted(map(int, found)) for topic, found in starts.items()}),
            "startingOffsets": json.dumps(starts),
            "endingOffsets": json.dumps(ends),
        }
        del options["subscribePattern"]
        frame = self._context.spark.read.format("kafka").options(**options).load()
        return frame.select(*KAFKA_COLUMNS)

    def _count(self, frame: DataFrame) -> None:
        rows = (RawRow(*row) for row in frame.collect())
        heads, groups = counted(rows, self._context.target.alias, {}, self._seqs)
        change = folded(heads, groups, self._recount.series_state, self._context.now_ms())
        self._seqs |= {key: seq for key, (seq, _) in change.seqs.items()}
        self._recount.series_state.update(change.states)
        self._recount.add(change.tiles)

    def _exchange(self, connection: Connection) -> None:
        """Old tiles out, new ones in, in every width."""
        alias = self._context.target.alias
        ids = self._store.ids_within(connection, {key for own in self._recount.tiles.values() for key, _ in own})
        bounds = (alias, self._range.from_ms, self._range.to_ms)
        widths: tuple[TileWidth, ...] = ("10s", "1m", "1h") if self._width == "10s" else ("1m", "1h")
        for level in REPLACED:
            tiles = self._recount.of_level(level, ids)
            for width in widths:
                connection.run(
                    f"DELETE FROM {tile_table(level, width)} WHERE id IN (SELECT id FROM series WHERE target = ?) "  # noqa: S608 - our own names
                    "AND time_ms >= ? AND time_ms < ?",
                    bounds,
                )
                add_tiles(connection, level, width, tiles)
        connection.run("UPDATE writer SET revision = revision + 1 WHERE target = ?", (alias,))
        log.info("tiles counted again", target=alias, from_ms=self._range.from_ms, to_ms=self._range.to_ms)
