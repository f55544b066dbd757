"""Translates the committed offsets of a slot's groups, round by round, and writes them as checkpoints to the target.

A task writes only while it owns its transactional id. It takes the id and then reads the checkpoints topic, so that
it continues the history of its predecessor, which can write nothing from then on.
"""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from replication.codecs.mm2_records import LONGEST_STRING, Checkpoint, encode_checkpoint
from replication.domain.errors import ReplicationError
from replication.domain.groups.consumer_group import Commit, Commits
from replication.domain.groups.copy_account import CopyAccount
from replication.domain.identifiers import TopicPartition
from replication.ports.fenced_producer import NewRecord
from replication.tasks.groups.bounds_closer import BoundsCloser
from replication.tasks.groups.bounds_comparison import BoundsComparison
from replication.tasks.groups.checkpoint_history import CheckpointHistory
from replication.tasks.groups.checkpoint_order import CheckpointOrder, CheckpointPorts
from replication.tasks.groups.group_findings import GroupFindings
from replication.tasks.groups.group_offset_sync import GroupOffsetSync
from replication.tasks.groups.group_round import NewCheckpoint, RoundView, partitions_of, sync_places
from replication.tasks.groups.group_states import TaskGroupState
from replication.tasks.groups.log_ranges import NO_LOGS, Ranges, read_logs
from replication.tasks.groups.record_sizes import RecordSizes
from replication.tasks.groups.round_report import RoundReport, RoundTimes, TaskRun, round_report, timed
from replication.tasks.groups.topic_places import TopicPlaces

REPORT_EVERY_MS = 30_000
_DESCRIBE_EVERY_MS = 60_000
_RECORDS_PER_TRANSACTION = 20_000
_NO_COMMITS: Commits = {}


class CheckpointTask:
    """Blocking; for one thread. Raises the errors of its ports, and FencedError once another task has its slot."""

    def __init__(
        self, order: CheckpointOrder, ports: CheckpointPorts, run: TaskRun, *, clock_ms: Callable[[], int] | None = None
    ) -> None:
        """Raises ConfigurationError for invalid settings."""
        self._ports = ports
        self._run = run
        self._clock_ms = clock_ms or (lambda: time.time_ns() // 1_000_000)
        self._order = order
        self._settings = order.settings
        self._places = TopicPlaces.of(order.flow, order.plan, order.reverse)
        self._history = CheckpointHistory(ports.log, order.topic)
        self._account, self._reverse = CopyAccount(), CopyAccount()
        self._is_reverse_read = False
        self._sync = GroupOffsetSync(ports.target_groups)
        self._findings = GroupFindings(ports.source, ports.target)
        self._closer = BoundsCloser(BoundsComparison(ports.source_log, ports.log))
        self._sizes = RecordSizes(ports.target_sizes)
        self._states = {name: TaskGroupState(name) for name in order.groups}
        self._former_ids: tuple[str, ...] | None = None  # fenced already; None: this task owns nothing yet
        self._slots = 0  # of the flow, when the history was read
        self._times = RoundTimes()
        self._described_ms: int | None = None
        self._has_failed = False

    def apply_order(self, order: CheckpointOrder) -> None:
        """Continue with another order of the same slot and topic: groups, topics, filters and intervals may differ."""
        self._settings = order.settings
        before = self._order
        if (order.plan.topics, order.flow, order.reverse) != (before.plan.topics, before.flow, before.reverse):
            self._places = TopicPlaces.of(order.flow, order.plan, order.reverse)
        self._order = order
        self._states = {name: self._states.get(name) or TaskGroupState(name) for name in order.groups}
        self._times = replace(self._times, reported_ms=0)  # what left is not reported any longer

    def next_ms(self, now_ms: int) -> int:
        """Return when the next run is due: at once for new groups, and after the clock was set back."""
        last = self._times.round_ms
        if last is None or now_ms < last or self._has_failed or self._newcomers():
            return now_ms
        return min(last + self._settings.emit_interval_ms, self._times.reported_ms + REPORT_EVERY_MS)

    def run_once(self, now_ms: int) -> RoundReport:
        """Do what is due, and report on all groups."""
        last = self._times.round_ms
        is_due = last is None or self._has_failed or not 0 <= now_ms - last < self._settings.emit_interval_ms
        names = list(self._states) if is_due else self._newcomers()
        if is_due:
            self._times = replace(self._times, round_ms=now_ms)
        self._has_failed = True  # until the round is done
        problem = self._round(names, now_ms) if names or is_due else None
        self._has_failed = problem is not None
        ended_ms = self._clock_ms()
        self._times = replace(self._times, reported_ms=ended_ms)
        report = round_report(
            self._order,
            self._run,
            tuple(self._states.values()),
            self._sync.groups,
            self._times,
            ended_ms,
            record_bytes=self._sizes.record_bytes,
            has_rows=is_due,
            problem=problem,
        )
        if not is_due:
            return report
        self._times = replace(self._times, took_ms=self._clock_ms() - now_ms)
        return timed(report, self._times)

    def close(self) -> None:
        self._ports.close()

    def _newcomers(self) -> list[str]:
        return [name for name, state in self._states.items() if state.is_new]

    def _round(self, names: Sequence[str], now_ms: int) -> ReplicationError | None:
        """Translate these groups. A source that does not answer is returned as a problem; the target's raise."""
        self._own()
        before = self._ports.source_groups.requests
        problem = self._read_source(names, now_ms)
        self._ports.copy_logs.read_into(self._account)
        states = [self._states[name] for name in names]
        commits = {state.name: self._commits_of(state) for state in states}
        partitions = {name: partitions_of(found, self._places) for name, found in commits.items()}
        problem = problem or self._read_reverse()
        view, problem = self._view(partitions.values(), now_ms, problem)
        new: list[NewCheckpoint] = []
        if len(names) == len(self._states):
            self._closer.begin_round()
        for state in states:
            self._closer.begin_group()
            facts, written = view.evaluate(
                state.name,
                commits[state.name],
                self._history.of(state.name),
                writes=state.is_read and problem is None,
                partitions=partitions[state.name],
                on_target=state.offsets,
            )
            state.translate(facts)
            new += written
        self._write(new)
        self._find_causes(states, now_ms)
        self._sizes.refresh((each for state in self._states.values() for each in state.facts), now_ms)
        if len(names) == len(self._states):
            self._sync_groups(view.remote, now_ms)
        self._times = replace(self._times, requests=self._ports.source_groups.requests - before)
        return problem

    def _own(self) -> None:
        """Take the transactional ids of this slot and of former ones, then read the history, in this order."""
        producer, former = self._ports.producer, self._order.former_ids
        has_changed = self._former_ids != former
        if self._former_ids is None:
            producer.fence()
        if has_changed:
            producer.fence_others([each for each in former if each not in (self._former_ids or ())])
        self._history.keep(self._states)
        if has_changed or self._slots != len(self._order.plan.groups.slots):  # groups of other slots may be ours now
            self._history.read(self._states)
        else:
            self._history.begin(self._states)
        self._former_ids, self._slots = former, len(self._order.plan.groups.slots)

    def _read_source(self, names: Collection[str], now_ms: int) -> ReplicationError | None:
        """Read the groups' commits; returns the error of a source that does not answer."""
        source = self._ports.source_groups
        try:
            listed = source.list_groups()
            answers = source.commits(names) if names else {}
            self._describe(names, now_ms)
        except ReplicationError as error:
            for name in names:
                self._states[name].lose_source()
            return error
        for name in names:
            self._states[name].read(answers.get(name, _NO_COMMITS), listed.get(name), source.alias, now_ms)
        return None

    def _read_reverse(self) -> ReplicationError | None:
        """Read how a flow the other way copies; returns the error of the source."""
        if not self._places.reads_reverse:
            return None
        try:
            self._ports.reverse_logs.read_into(self._reverse)
        except ReplicationError as error:
            return error
        self._is_reverse_read = True
        return None

    def _describe(self, names: Collection[str], now_ms: int) -> None:
        """Members and subscriptions; they change slowly, and describing costs more than reading commits."""
        last = self._described_ms
        is_due = last is None or not 0 <= now_ms - last < _DESCRIBE_EVERY_MS
        wanted = [name for name in names if is_due or self._states[name].described is None]
        for name, found in (self._ports.source_groups.describe(wanted) if wanted else {}).items():
            self._states[name].describe(found)
        if is_due:
            self._described_ms = now_ms

    def _commits_of(self, state: TaskGroupState) -> Commits:
        """The last known commits; of a group that was never read, the upstream offsets of its checkpoints."""
        if state.translated_ms is not None:
            return state.commits
        places = self._history.of(state.name).items()
        found = ((self._places.upstream(remote), remote, place) for remote, place in places)
        return {
            upstream: Commit(place.upstream, self._history.metadata(state.name, remote))
            for upstream, remote, place in found
            if upstream is not None
        }

    def _view(
        self, partitions: Iterable[list[TopicPartition]], now_ms: int, problem: ReplicationError | None
    ) -> tuple[RoundView, ReplicationError | None]:
        """Read the logs' ends, after the commits and the flow's records about its copying."""
        upstream = set[TopicPartition]().union(*partitions)
        remote = {each for each in map(self._places.remote, upstream) if each is not None}
        source = NO_LOGS
        if problem is None:
            try:
                source = read_logs(self._ports.source, upstream)
            except ReplicationError as error:
                problem = error
        target = read_logs(self._ports.target, remote)
        view = RoundView(
            places=self._places,
            account=self._account,
            source=source.ranges,
            remote=target.ranges,
            unavailable=target.unavailable,
            now_ms=now_ms,
            closer=self._closer.close_in,
            reverse=self._reverse,
            is_reverse_read=self._is_reverse_read or not self._places.reads_reverse,
        )
        return view, problem

    def _find_causes(self, states: Iterable[TaskGroupState], now_ms: int) -> None:
        """Find what the applications would miss on the target; the last findings count while the source is away."""
        self._findings.refresh(now_ms)
        for state in states:
            if state.is_reachable:
                read = {each.topic for each in state.commits}
                state.find(self._findings.of(state.name, state.described, read, self._places.remote_of))

    def _write(self, checkpoints: Sequence[NewCheckpoint]) -> None:
        """Write in transactions of a bounded size. After a failure the id is taken and the history read again."""
        topic = self._order.topic
        for start in range(0, len(checkpoints), _RECORDS_PER_TRANSACTION):
            chunk = checkpoints[start : start + _RECORDS_PER_TRANSACTION]
            try:
                self._ports.producer.write([_record(topic, each) for each in chunk])
            except ReplicationError:
                self._former_ids = None
                raise
            self._history.add((each.group, each.remote, each.place) for each in chunk)
            self._note_written(chunk)

    def _note_written(self, checkpoints: Sequence[NewCheckpoint]) -> None:
        latency_ms = max(0, self._clock_ms() - checkpoints[0].place.written_ms)
        for each in checkpoints:
            self._states[each.group].note_written(each.remote, latency_ms, is_rewound=each.is_rewound)
        self._times = replace(self._times, written=self._times.written + len(checkpoints))

    def _sync_groups(self, logs: Ranges, now_ms: int) -> None:
        """Set offsets on the target when that is due and the sync is on, else read its groups."""
        last, half_round_ms = self._times.synced_ms, self._settings.emit_interval_ms // 2
        if last is not None and 0 <= now_ms - last < self._settings.sync_interval_ms - half_round_ms:
            return
        gone = self._order.gone
        states = [each for each in self._states.values() if not (each.is_deleted or each.was_gone(gone))]
        places = {state.name: sync_places(state.facts, state.rewound) for state in states}
        run = self._sync.run(places, logs, now_ms, writes=self._settings.syncs_groups, budget_ms=half_round_ms)
        if run.is_done:  # else the next round continues: a slow sync does not delay checkpoints
            self._times = replace(self._times, synced_ms=now_ms)
        for state in states:
            synced = run.groups.get(state.name)
            state.see_target({} if synced is None else synced.offsets)


def _record(topic: str, checkpoint: NewCheckpoint) -> NewRecord:
    """Metadata that a checkpoint cannot hold is left away: brokers may allow more than MirrorMaker's format."""
    metadata = checkpoint.metadata
    if len(metadata) > LONGEST_STRING // 4 and len(metadata.encode(errors="surrogateescape")) > LONGEST_STRING:
        metadata = ""
    key, value = encode_checkpoint(
        Checkpoint(
            group=checkpoint.group,
            remote=checkpoint.remote,
            upstream_offset=checkpoint.place.upstream,
            downstream_offset=checkpoint.place.downstream,
            metadata=metadata,
        )
    )
    return NewRecord(topic=topic, key=key, value=value, timestamp_ms=checkpoint.place.written_ms)
