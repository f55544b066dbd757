"""Rows as they leave Spark, with everything boring filled in."""

from metrics.counting.group_rows import LatestReport, ReadSummary, ReportedRange, SeriesKey, TileGroup, topic_of
from metrics.counting.sums.tile_sums import TileSums

RAW_TOPIC = "srm-metrics.a.internal"


def key(*, topic: str = "orders", partition: int = 0, source: str = "a") -> SeriesKey:
    return SeriesKey(source, "b", topic, f"{source}.{topic}", partition)


def now(*, last_ms: int, lag: int | None = 0, state: str = "replicating", covered_to: int = 0) -> LatestReport:
    return LatestReport(
        state=state,
        cause=None,
        covered_to=covered_to,
        log_end=None if lag is None else covered_to + lag,
        downstream_end=covered_to,
        lag=lag,
        last_ms=last_ms,
        records_per_second=2.0,
        bytes_per_second=200.0,
    )


def tile_group(
    *,
    time_ms: int,
    spans: tuple[tuple[int, int], ...],
    topic: str = "orders",
    partition: int = 0,
    topic_id: str = "00",
    lag: int | None = 0,
    state: str = "replicating",
    raw_partition: int = 0,
    raw_offset: int = 0,
    position: int = 1,
) -> TileGroup:
    """One record per covered offset; the spans are reported one after the other from `raw_offset` on."""
    sums = TileSums()
    sums.records = sum(end - start for start, end in spans)
    sums.bytes = sums.records * 100
    sums.latency.add(2, sums.records)
    sums.observe_lag(lag)
    last_ms = time_ms + 10_000
    return TileGroup(
        key=key(topic=topic, partition=partition),
        topic=topic_of(key(topic=topic)),
        topic_id=topic_id,
        time_ms=time_ms,
        raw=(RAW_TOPIC, raw_partition),
        first_ms=last_ms,
        sums=sums,
        now=now(last_ms=last_ms, lag=lag, state=state, covered_to=spans[-1][1]),
        spans=tuple(
            ReportedRange(raw_offset + index, position, start, end) for index, (start, end) in enumerate(spans)
        ),
    )


def head(
    *,
    first: int = 0,
    last: int = 0,
    raw_partition: int = 0,
    bad: int = 0,
    sample: str | None = None,
    task: str | None = None,
    boot: str | None = None,
    seq: int | None = None,
) -> ReadSummary:
    return ReadSummary(
        topic=RAW_TOPIC,
        partition=raw_partition,
        first_offset=first,
        last_offset=last,
        bad=bad,
        sample=sample,
        task=task,
        boot=boot,
        seq=seq,
        last_ms=None if seq is None else 1_790_000_000_000,
        gaps=(),
    )
