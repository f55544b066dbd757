"""Runs in Spark's tasks: stage 1 validates records and cuts them by shard, stage 2 folds a shard into rows.

Executors import this module. They have this project's pure modules and the store, so it must not import pyspark.
"""

import gc
import marshal
import pickle
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa

from metrics.counting.flow_totals import FlowPart
from metrics.counting.group_rows import SeqKey, SeriesKey, TileGroup
from metrics.counting.head_totals import HeadTotals, head_totals
from metrics.counting.packing import packed, unpacked
from metrics.counting.records import RawRow
from metrics.counting.shards import FlowTimes, ShardFold, cut, flow_times, shard_folded
from metrics.counting.tiles import counted
from metrics.errors import MetricsError, StoreUnavailableError, drop_frames
from metrics.gc_tuning import collect_rarely
from metrics.schemas import Table
from metrics.store.address import connect
from metrics.store.backfill.backfill_range import BackfillRange
from metrics.store.backfill.backfill_shard import BackfillShard
from metrics.store.connection import Row, SharedConnection
from metrics.store.shard_store import ReadAt, ShardState, ShardStore
from metrics.worker_archives import keep_archive_directories

CUT_SCHEMA = "shard INT, value BINARY"
RESULT_SCHEMA = "value BINARY"
MOST_KEPT_PARTITIONS = 30_000  # states that a worker remembers between batches


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTask:
    """The input of a task besides its records; sent with the function."""

    target: str
    store_url: str
    epoch: int
    batch: int
    now_ms: int
    partition_ten_seconds: bool
    staged: bool  # else the rows travel to the driver
    labels: tuple[int, ...]  # of the shards, by number: Spark deals these to as many tasks
    committed: Mapping[int, int]  # the attempt of each shard that the last commit took over
    next_offsets: Mapping[tuple[str, int], int]
    last_seqs: Mapping[SeqKey, int]
    awaited: Mapping[tuple[str, int], int] = field(default_factory=dict)  # stage 2 begins when the ledger holds them
    backfill: BackfillRange | None = None  # of a backfill: the range that is counted again


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardResult:
    """The result that a shard's task hands to the driver; staged rows are only counted."""

    shard: int
    attempt: int
    read_at: ReadAt
    reports: int
    times: frozenset[int]
    flows: FlowPart
    counts: Mapping[str, int] = field(default_factory=dict)
    rows: Sequence[tuple[str, bytes]] = ()

    def enclosed(self) -> Iterator[tuple[str, list[Row]]]:
        """Yield the enclosed rows, by table."""
        for name, value in self.rows:
            yield name, marshal.loads(value)  # noqa: S302 - bytes of our own tasks


_Key = tuple[str, str, int, int, int]  # store, target, epoch, number of shards, shard


@dataclass(slots=True)
class _Kept:
    attempt: int
    revision: int
    state: ShardState


Work = Callable[[BatchTask, Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_connections: dict[str, SharedConnection] = {}
_kept: dict[_Key, _Kept] = {}


def in_worker(work: Work, task: BatchTask, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Run a stage in a Python worker of Spark's."""
    if gc.get_freeze_count() == 0:
        collect_rarely()
        keep_archive_directories()
    return work(task, batches)


def validate(task: BatchTask, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Run stage 1: turn the records of a raw partition into heads and, by shard, additions to tiles.

    Each shard receives the tiles of all flows, because it returns the sums of its topics at the end of each.
    """
    heads, groups = counted(_rows(batches), task.target, task.next_offsets, task.last_seqs)
    if not heads:
        return
    shards = len(task.labels)
    times = pickle.dumps(flow_times(groups)) if groups else None
    found: list[tuple[int, bytes]] = [(0, b"h" + pickle.dumps(head_totals(heads)))]
    by_raw: defaultdict[tuple[str, int], list[TileGroup]] = defaultdict(list)
    for group in groups:
        by_raw[group.raw].append(group)
    for own in by_raw.values():
        found += [(shard, b"g" + packed(part)) for shard, part in cut(own, shards).items()]
    if times is not None:
        found += [(shard, b"t" + times) for shard in range(shards)]
    yield pa.RecordBatch.from_arrays(
        [
            pa.array([task.labels[shard] for shard, _ in found], pa.int32()),
            pa.array([value for _, value in found], pa.binary()),
        ],
        ["shard", "value"],
    )


def fold(task: BatchTask, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Run stage 2: fold the cuts of a shard into rows to write, and pass heads on."""
    heads: list[HeadTotals] = []
    groups: defaultdict[int, list[list[TileGroup]]] = defaultdict(list)
    times: defaultdict[SeriesKey, set[int]] = defaultdict(set)
    for batch in batches:
        for label, value in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            kind, content = value[:1], value[1:]
            if kind == b"h":
                heads += pickle.loads(content)  # noqa: S301 - bytes of our own tasks
            elif kind == b"g":
                groups[label].append(list(unpacked(content)))
            else:
                for flow, own in pickle.loads(content).items():  # noqa: S301
                    times[flow] |= own
    results: list[object] = [heads] if heads else []
    for label, parts in groups.items():
        in_order = sorted(parts, key=lambda part: part[0].raw)
        results.append(_folded(task, task.labels.index(label), [each for part in in_order for each in part], times))
    yield from _results(results)


def validate_and_fold(task: BatchTask, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Run both stages of a small batch in one task: one guard, one shard, nothing packed."""
    heads, groups = counted(_rows(batches), task.target, task.next_offsets, task.last_seqs)
    results: list[object] = [head_totals(heads)] if heads else []
    if groups:
        results.append(_folded(task, 0, groups, flow_times(groups)))
    yield from _results(results)


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[RawRow]:
    for batch in batches:
        yield from map(RawRow, *(column.to_pylist() for column in batch.columns))


def _results(results: Sequence[object]) -> Iterator[pa.RecordBatch]:
    if results:
        values = [pickle.dumps(result, pickle.HIGHEST_PROTOCOL) for result in results]
        yield pa.RecordBatch.from_arrays([pa.array(values, pa.binary())], ["value"])


def _folded(task: BatchTask, shard: int, groups: Sequence[TileGroup], times: FlowTimes) -> ShardResult | MetricsError:
    """Fold a shard. A MetricsError is a result: raised, Spark would retry the task and pass on only its text."""
    try:
        return _prepared(task, shard, groups, times)
    except BaseException as error:
        with suppress(Exception):
            _connections.pop(task.store_url).close()
        if isinstance(error, MetricsError):
            drop_frames(error)
            return error
        raise


def _opened_store(task: BatchTask) -> tuple[ShardStore, ReadAt]:
    """Return the store and the conditions; a connection of an earlier batch is replaced if the store has closed it."""
    is_reused = task.store_url in _connections
    store = _shard_store(task)
    try:
        return store, _read_at(store, task)
    except StoreUnavailableError:
        if not is_reused:
            raise
        with suppress(Exception):
            _connections.pop(task.store_url).close()
        store = _shard_store(task)
        return store, _read_at(store, task)


def _read_at(store: ShardStore, task: BatchTask) -> ReadAt:
    store.wait_for(task.awaited)
    return store.read_at()


def _shard_store(task: BatchTask) -> ShardStore:
    connection = _connection(task.store_url)
    if task.backfill is not None:
        return BackfillShard(connection, task.target, task.backfill)
    return ShardStore(connection, task.target, task.epoch)


def _prepared(task: BatchTask, shard: int, groups: Sequence[TileGroup], times: FlowTimes) -> ShardResult:
    key = (task.store_url, task.target, task.epoch, len(task.labels), shard)
    store, read_at = _opened_store(task)
    state = _known_state(key, task.committed.get(shard), read_at.series_revision)
    topics = {group.topic for group in groups}
    store.load(state, topics - state.topics)
    found = shard_folded(groups, state.series_state, times, task.now_ms)
    store.assign_ids(state, {*found.states, *(each.topic for each in found.topic_totals)})
    rows = store.rows(found, state.ids, read_at.rolled, partition_ten_seconds=task.partition_ten_seconds)
    attempt = secrets.randbits(62)
    counts: Mapping[str, int] = {}
    enclosed: Sequence[tuple[str, bytes]] = ()
    if task.staged:
        counts = store.stage(task.batch, attempt, rows)
    else:
        enclosed = [_enclosed(table, part) for table, part in rows]
    _keep(key, _Kept(attempt, read_at.series_revision, state), found)
    return ShardResult(
        shard=shard,
        attempt=attempt,
        read_at=read_at,
        reports=sum(len(group.spans) for group in groups),
        times=frozenset(group.time_ms for group in groups),
        flows=FlowPart(tiles=found.flows, totals=found.flow_totals, topics=found.topic_totals),
        counts=counts,
        rows=enclosed,
    )


def _enclosed(table: Table, rows: Sequence[Row]) -> tuple[str, bytes]:
    return table.name, marshal.dumps([tuple(row) for row in rows])


def _known_state(key: _Key, committed: int | None, revision: int) -> ShardState:
    """Return the state that this worker remembers, if the last commit took over the very attempt that left it."""
    kept = _kept.pop(key, None)
    is_current = kept is not None and (kept.attempt, kept.revision) == (committed, revision)
    return kept.state if kept is not None and is_current else ShardState()


def _keep(key: _Key, kept: _Kept, change: ShardFold) -> None:
    if len(kept.state.series_state) + len(change.states) <= MOST_KEPT_PARTITIONS:
        kept.state.series_state.update(change.states)
        _kept[key] = kept
    count = sum(len(each.state.series_state) for each in _kept.values())
    while count > MOST_KEPT_PARTITIONS:  # the oldest first: those of former epochs and backfills
        count -= len(_kept.pop(next(iter(_kept))).state.series_state)


def _connection(url: str) -> SharedConnection:
    """Return the connection of this worker process, which outlives its tasks."""
    found = _connections.get(url)
    if found is None:
        found = _connections[url] = connect(url)
    return found
