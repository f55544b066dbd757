"""The job `audit`: proves that source topics and their copies hold the same records, or says where they differ."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict

import structlog
from pyspark.sql import SparkSession

from metrics.audit.job.audit_store import AuditStore, Proven, TopicRow
from metrics.audit.job.frames import audit_session
from metrics.audit.job.frozen_logs import Freezer, FrozenTopic
from metrics.audit.job.recorded_losses import LossLogs
from metrics.audit.job.recorded_separately import FilteredCount
from metrics.audit.job.rows import TopicRows
from metrics.audit.job.topic_audit import TopicComparison, audit_topic
from metrics.audit.proof import next_proof
from metrics.audit.ranges import Side
from metrics.audit.recorded_loss import RecordedLoss
from metrics.audit.spec import AuditedTopic, AuditSpec, parse_spec
from metrics.errors import JobCancelledError, JobError, MetricsError
from metrics.jobs.context import JobContext
from replication.domain.errors import ReplicationError
from replication.domain.plan.slot import ClusterClient
from replication.domain.reporting.audit_words import FINDING_KINDS, HARMLESS

log = structlog.get_logger()

_LOOK_EVERY_S = 1.0
_EVENTS_ON_THEIR_WAY_S = 8.0  # a driver reports every five seconds


def run_audit(context: JobContext) -> None:
    """Audit each topic of the spec in turn. A topic that fails does not stop the others; the job fails at the end."""
    spec = parse_spec(context.spec)
    clusters = _clusters(context, spec)
    store = AuditStore(context.store(), context.job_id, spec.source, spec.target)
    freezer = Freezer(context, spec, clusters["source"], clusters["target"])
    topics = {pair.upstream for pair in spec.topics}
    logs = LossLogs(clusters["target"], spec.source, spec.dead_letters, topics)
    filtered = FilteredCount(store.counted_filtered, lambda: _pause(context, _LOOK_EVERY_S))
    failed: list[str] = []
    try:
        store.begin()
        session = audit_session(context.spark)
        for index, pair in enumerate(spec.topics):
            context.check_cancelled()
            audit = _TopicJob(context, session, spec, clusters, freezer, logs, filtered, store, pair, index)
            error = audit.run()
            if error is not None:
                failed.append(f"{pair.upstream}: {error}")
        context.progress(1.0, f"{len(spec.topics) - len(failed)} of {len(spec.topics)} topics compared")
    finally:
        logs.close()
        freezer.close()
        store.close()
    if failed:
        raise JobError(f"{len(failed)} of {len(spec.topics)} topics could not be compared: {failed[0]}")


def _pause(context: JobContext, seconds: float) -> None:
    until_s = time.monotonic() + seconds
    while (left_s := until_s - time.monotonic()) > 0:
        context.check_cancelled()
        time.sleep(min(left_s, 0.5))


def _clusters(context: JobContext, spec: AuditSpec) -> dict[Side, ClusterClient]:
    missing = sorted({spec.source, spec.target} - context.targets.keys())
    if missing:
        raise JobError(f"the metrics process does not know cluster {missing[0]}: add it to its targets file")
    return {"source": context.targets[spec.source], "target": context.targets[spec.target]}


class _TopicJob:
    """One topic, from freezing to its row in the store."""

    def __init__(
        self,
        context: JobContext,
        session: SparkSession,
        spec: AuditSpec,
        clusters: Mapping[Side, ClusterClient],
        freezer: Freezer,
        logs: LossLogs,
        filtered: FilteredCount,
        store: AuditStore,
        pair: AuditedTopic,
        index: int,
    ) -> None:
        self._context = context
        self._session = session
        self._spec = spec
        self._clusters = clusters
        self._freezer = freezer
        self._logs = logs
        self._filtered = filtered
        self._store = store
        self._pair = pair
        self._index = index
        self._row = TopicRow(topic=pair.upstream, remote_topic=pair.remote, mode=spec.mode, started_ms=context.now_ms())

    def run(self) -> str | None:
        """Return why the topic could not be compared, or None. Cancelling and a failing store end the whole job."""
        self._store.write(self._row)
        try:
            self._compare()
        except JobCancelledError:
            self._end("cancelled", None)
            raise
        except (JobError, ReplicationError) as error:
            self._end("failed", str(error))
            return str(error)
        except MetricsError:
            raise
        except Exception as error:  # any error of Spark: the next topic may succeed
            if self._context.cancelled():
                self._end("cancelled", None)
                raise
            text = _one_line(error)
            log.warning("audit of a topic failed", topic=self._pair.upstream, error=text)
            self._end("failed", text)
            return text
        return None

    def _compare(self) -> None:
        self._say(0.0, "waiting until the copy has what the source holds now")
        before = self._store.proven(self._pair.upstream)
        frozen = self._freezer.freeze(self._pair, before)
        self._say(0.0, "comparing")
        rows = TopicRows(self._session, self._spec, self._clusters, frozen, self._recorded_losses(frozen))
        result = audit_topic(self._context, rows, self._freezer, self._filtered, self._say)
        self._store_comparison(result)
        proven = self._proven(frozen, result, before)
        untils = [proven[number].proof.until_ms if number in proven else None for number in result.plans]
        self._row.proven_until_ms = None if None in untils else min((each for each in untils if each), default=None)
        self._row.state, self._row.ended_ms = "done", self._context.now_ms()
        self._store.write(self._row, result.findings, proven)
        log.info(
            "topic audited",
            source=self._spec.source,
            target=self._spec.target,
            topic=self._pair.upstream,
            records=result.records_source,
            findings=self._row.findings,
        )

    def _recorded_losses(self, frozen: FrozenTopic) -> list[RecordedLoss]:
        """Return the recorded losses up to the time of freezing."""
        if self._spec.skips:
            _pause(self._context, _EVENTS_ON_THEIR_WAY_S)
        self._logs.read()
        topic = self._pair.upstream
        begun = self._logs.begun_ms(topic)
        skipped = [each for each in self._store.skipped(topic) if each.at_ms >= begun.get(each.partition, 0)]
        return [*self._logs.of(topic, frozen.topic_id), *skipped]

    def _store_comparison(self, result: TopicComparison) -> None:
        row = self._row
        row.compared = result.compared
        row.records_source, row.records_target = result.records_source, result.records_target
        row.ranges, row.ranges_bad = result.ranges, result.ranges_bad
        row.filtered_records, row.local_records = result.filtered_records, result.local_records
        row.findings = {
            kind: sum(each.records for each in result.findings if each.kind == kind) for kind in FINDING_KINDS
        }
        row.not_compared = json.dumps([asdict(each) for each in result.not_compared])

    def _proven(self, frozen: FrozenTopic, result: TopicComparison, before: Mapping[int, Proven]) -> dict[int, Proven]:
        """Return the end of the proof of each partition. A sample and mere counts prove nothing."""
        if self._spec.mode == "sample" or result.compared == "counts":
            return {}
        proven: dict[int, Proven] = {}
        for number, plan in result.plans.items():
            wrong = [each for each in result.findings if each.partition == number and each.kind not in HARMLESS]
            not_compared = [each for each in result.not_compared if each.partition == number]
            earlier = before.get(number)
            ids = (frozen.topic_id, frozen.remote_topic_id)
            same = earlier.proof if earlier is not None and earlier.holds_for(*ids) else None
            proof = next_proof(frozen.partitions[number], plan, wrong, not_compared, same, frozen.frozen_ms)
            proven[number] = Proven(*ids, proof)
        return proven

    def _end(self, state: str, error: str | None) -> None:
        self._row.state, self._row.error, self._row.ended_ms = state, error, self._context.now_ms()
        self._store.write(self._row)

    def _say(self, done: float, text: str) -> None:
        self._context.progress((self._index + done) / len(self._spec.topics), f"{self._pair.upstream}: {text}")


def _one_line(error: Exception) -> str:
    text = next((line for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {text}"[:500]
