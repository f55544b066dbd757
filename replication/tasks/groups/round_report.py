"""The report of a checkpoint task after a round: the summary for the service, counts, and the rows of its metrics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from replication.domain.errors import ReplicationError
from replication.domain.groups.consumer_group import GroupProblem
from replication.domain.groups.group_summary import (
    GroupCounts,
    GroupsSummary,
    GroupSummary,
    SyncTimes,
    group_counts,
)
from replication.domain.groups.judgement.group_partition import ClusterNames, GroupPartitionFacts
from replication.domain.groups.judgement.group_readiness import GroupFacts, group_readiness
from replication.domain.identifiers import TopicPartition
from replication.domain.reporting.histogram import Histogram
from replication.tasks.groups.checkpoint_order import CheckpointOrder
from replication.tasks.groups.group_offset_sync import SyncedGroup
from replication.tasks.groups.group_states import TaskGroupState
from replication.tasks.groups.taken_groups import taken_summaries

ROWS_PER_RECORD = 2_000
RecordBytes = Mapping[TopicPartition, float]  # by remote partition


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTimes:
    """Times and numbers of the last round over all groups."""

    round_ms: int | None = None
    took_ms: int = 0
    reported_ms: int = 0
    synced_ms: int | None = None
    requests: int = 0  # about groups, at the source
    written: int = 0  # checkpoints since the task started


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRun:
    """The process that runs a task, for its summary."""

    driver: str
    boot: str
    generation: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReport:
    """The groups of a task after a run. `problem` is the error of a source that did not answer."""

    summary: GroupsSummary
    counts: GroupCounts
    group_lag: int | None
    checkpoint_age_ms: int | None
    times: RoundTimes
    rows: Sequence[list[list[Any]]] = ()  # of raw metrics, by record; JSON
    problem: ReplicationError | None = None


def round_report(
    order: CheckpointOrder,
    run: TaskRun,
    states: Sequence[TaskGroupState],
    synced: Mapping[str, SyncedGroup],
    times: RoundTimes,
    now_ms: int,
    *,
    record_bytes: RecordBytes,
    has_rows: bool,
    problem: ReplicationError | None = None,
) -> RoundReport:
    """Judge all groups and report on them; `record_bytes` are averages as far as they are known."""
    summary = _head(order, run, times, now_ms)
    names = ClusterNames(source=order.id.source, target=order.id.target)
    own = (
        _group(_facts(summary, state, known, record_bytes), state, known, names, now_ms)
        for state, known in ((state, synced.get(state.name)) for state in states)
    )
    groups = (*own, *(taken_summaries(order.plan) if order.slot == 0 else ()))
    lags = [each.lag for each in groups if each.lag is not None]
    newest = [each.checkpoint_ms for each in groups if each.checkpoint_ms is not None]
    return RoundReport(
        summary=replace(summary, groups=groups),
        counts=group_counts(each.readiness for each in groups),
        group_lag=sum(lags) if lags else None,
        checkpoint_age_ms=max(0, now_ms - min(newest)) if newest else None,
        times=times,
        rows=list(_rows(states)) if has_rows else (),
        problem=problem,
    )


def timed(report: RoundReport, times: RoundTimes) -> RoundReport:
    """Return the report with other times: judging the groups is a part of the round."""
    return replace(report, times=times, summary=replace(report.summary, took_ms=times.took_ms))


def _head(order: CheckpointOrder, run: TaskRun, times: RoundTimes, now_ms: int) -> GroupsSummary:
    settings = order.settings
    return GroupsSummary(
        task=str(order.task),
        driver=run.driver,
        boot=run.boot,
        generation=run.generation,
        round_ms=times.round_ms or now_ms,
        took_ms=times.took_ms,
        interval_ms=settings.emit_interval_ms,
        requests=times.requests,
        sent_ms=now_ms,
        sync=SyncTimes(
            enabled=settings.syncs_groups,
            interval_ms=settings.sync_interval_ms,
            effective_interval_ms=settings.effective_sync_interval_ms,
            last_ms=times.synced_ms if settings.syncs_groups else None,
        ),
        skipped=order.plan.groups.skipped if order.slot == 0 else (),
    )


def _facts(
    head: GroupsSummary, state: TaskGroupState, synced: SyncedGroup | None, record_bytes: RecordBytes
) -> GroupFacts:
    on_target = None if synced is None else synced.target.description
    return GroupFacts(
        name=state.name,
        type="unknown" if state.listed is None else state.listed.type,
        partitions=state.known_facts,
        target=None if isinstance(on_target, GroupProblem) else on_target,
        translated_ms=state.translated_ms,
        interval_ms=head.interval_ms,
        is_source_reachable=state.is_reachable,
        is_deleted_at_source=state.is_deleted,
        findings=(*state.refusals, *state.causes, *(() if synced is None else synced.findings)),
        syncs_offsets=head.sync.enabled,
        is_target_read=synced is not None and not isinstance(synced.target.commits, GroupProblem),
        records_per_second=state.rate.records_per_second,
        record_bytes=record_bytes,
    )


def _group(
    facts: GroupFacts, state: TaskGroupState, synced: SyncedGroup | None, names: ClusterNames, now_ms: int
) -> GroupSummary:
    judged = group_readiness(facts, names, now_ms)
    own = {each.name: getattr(judged, each.name) for each in fields(judged)}
    return GroupSummary(
        group=state.name,
        type=facts.type,
        state="dead" if state.is_deleted else "unknown" if state.listed is None else state.listed.state,
        members=None if state.described is None else state.described.members,
        target_state=None if facts.target is None else facts.target.state,
        target_members=None if facts.target is None else facts.target.members,
        synced_ms=None if synced is None else synced.synced_ms,
        synced=None if synced is None else synced.word,
        **own,
    )


def _rows(states: Sequence[TaskGroupState]) -> Iterator[list[list[Any]]]:
    """The rows of raw metrics; those of a group are never in two records, because its lag is counted per record."""
    rows: list[list[Any]] = []
    histograms: dict[int, list[Any]] = {}  # places that were written together have one latency
    for state in states:
        latencies = state.take_latencies()
        for each in set(latencies.values()) - histograms.keys():
            histograms[each] = _one(each)
        own = [_row(state.name, each, latencies, histograms) for each in state.facts if each.commit is not None]
        if rows and len(rows) + len(own) > ROWS_PER_RECORD:
            yield rows
            rows = []
        rows += own
    if rows:
        yield rows


def _row(
    group: str,
    facts: GroupPartitionFacts,
    latencies: Mapping[TopicPartition, int],
    histograms: Mapping[int, list[Any]],
) -> list[Any]:
    latency = None if facts.remote is None else latencies.get(facts.remote)
    return [
        group,
        facts.upstream.topic,
        facts.upstream.partition,
        None if facts.commit is None else facts.commit.offset,
        None if facts.checkpoint is None else facts.checkpoint.upstream,
        None if facts.source is None else facts.source.end,
        None if latency is None else histograms[latency],
    ]


def _one(latency_ms: int) -> list[Any]:
    histogram = Histogram()
    histogram.add(latency_ms)
    return histogram.to_list()
