"""Runs the batch jobs that the service asks for, one at a time, beside the streams of the same session."""

import threading
import time
from collections.abc import Callable, Mapping
from threading import Event, Thread

import structlog
from pyspark.sql import SparkSession

from metrics.errors import JobCancelledError, MetricsError, drop_frames
from metrics.jobs.context import JobContext
from metrics.loops import RepeatedLoop
from metrics.store.address import connect
from metrics.store.job_table import CLAIM_LIFE_MS, Job, JobTable
from metrics.stream.targets import MetricsTarget
from replication.domain.errors import ReplicationError

log = structlog.get_logger()

RunJob = Callable[[JobContext], None]

_POLL_S = 1.0
_KEEP_S = 2.0
_END_LIMIT_S = 30.0  # for a cancelled job to notice


class JobRunner(RepeatedLoop):
    """A thread that claims, watches and finishes jobs; each job runs in its own thread."""

    def __init__(
        self,
        spark: SparkSession,
        kinds: Mapping[str, RunJob],
        targets: Callable[[], tuple[Mapping[str, MetricsTarget], tuple[str, ...]]],
        store_url: str,
        claimer: str,
        stop: Event,
        now_ms: Callable[[], int],
    ) -> None:
        """`targets` answers all clusters known by alias, and the aliases whose jobs this process takes."""
        super().__init__("jobs", stop, every_s=_POLL_S)
        self._spark = spark
        self._kinds = kinds
        self._targets = targets
        self._store_url = store_url
        self._claimer = claimer
        self._now_ms = now_ms
        self._table: JobTable | None = None
        self._lingering: _Attempt | None = None  # told to end, and has not

    def run_once(self) -> bool:
        """Claim one job and run it to its end; False when there was none, or the one before has not ended."""
        if self._lingering is not None and not self._lingering.ended.is_set():
            return False
        self._lingering = None
        known, mine = self._targets()
        job = self._jobs().claim(mine, self._now_ms())
        if job is None:
            return False
        log.info("job started", job=job.job_id, kind=job.kind, target=job.target)
        run = self._kinds.get(job.kind)
        if run is None:
            self._finish(job, f"no such kind of job: {job.kind}; known are {', '.join(sorted(self._kinds))}")
            return True
        attempt = _Attempt(run, self._context(job, known))
        self._watch(attempt, job)
        return True

    def _context(self, job: Job, known: Mapping[str, MetricsTarget]) -> "Callable[[_Attempt], JobContext]":
        return lambda attempt: JobContext(
            spark=self._spark,
            store_url=self._store_url,
            target=known[job.target],
            targets=known,
            job_id=job.job_id,
            spec=job.spec,
            progress=attempt.say,
            cancelled=attempt.cancel.is_set,
            now_ms=self._now_ms,
        )

    def _watch(self, attempt: "_Attempt", job: Job) -> None:
        group = f"job-{job.job_id}"
        attempt.start(self._spark, group)
        kept_s = time.monotonic()
        while not attempt.ended.wait(_KEEP_S):
            if self._stop.is_set():
                break
            kept_s = self._keep(attempt, job, kept_s)
            if attempt.cancel.is_set():
                break
        attempt.cancel.set()
        if not attempt.ended.is_set():
            self._spark.sparkContext.cancelJobGroup(group)
            attempt.ended.wait(1.0 if self._stop.is_set() else _END_LIMIT_S)
        self._end(attempt, job)

    def _keep(self, attempt: "_Attempt", job: Job, kept_s: float) -> float:
        """Write the heartbeat. Without one for the life of a claim the job may be another's, so it ends here."""
        try:
            if not self._jobs().keep(job.job_id, self._now_ms(), attempt.said):
                log.info("job cancelled", job=job.job_id, kind=job.kind)
                attempt.cancel.set()
            return time.monotonic()
        except MetricsError as error:
            self._forget()
            if time.monotonic() - kept_s > CLAIM_LIFE_MS / 1_000:
                log.warning("job given up: the metrics store does not answer", job=job.job_id, error=str(error))
                attempt.cancel.set()
            return kept_s

    def _end(self, attempt: "_Attempt", job: Job) -> None:
        """Write how it went. A thread that still works has no result yet: its claim is left to expire."""
        has_ended = attempt.ended.is_set()  # before the error is read
        error = attempt.error
        if self._stop.is_set() and (error is not None or not has_ended):
            self._jobs().give_back(job.job_id)
        elif not has_ended:
            log.warning("job does not end, no other is begun until it does", job=job.job_id, kind=job.kind)
            self._lingering = attempt
        elif not isinstance(error, JobCancelledError):
            self._finish(job, None if error is None else _one_line(error), said=attempt.said)

    def _finish(self, job: Job, error: str | None, said: tuple[float, str] | None = None) -> None:
        """As long as it takes: an outage of the store must not make a finished job run again."""
        while True:
            try:
                if said is not None:
                    self._jobs().keep(job.job_id, self._now_ms(), said)
                done = self._jobs().finish(job.job_id, error)
            except MetricsError:
                self._forget()
                if self._stop.wait(_POLL_S):
                    raise
                continue
            if done:
                level = log.info if error is None else log.warning
                level("job ended", job=job.job_id, kind=job.kind, target=job.target, error=error)
            return

    def _jobs(self) -> JobTable:
        if self._table is None:
            self._table = JobTable(connect(self._store_url), self._claimer)
        return self._table

    def _forget(self) -> None:
        """The next call opens a new connection."""
        if self._table is not None:
            self._table.close()
            self._table = None


class _Attempt:
    """One run of a job in its own thread."""

    def __init__(self, run: RunJob, context: "Callable[[_Attempt], JobContext]") -> None:
        self.cancel = threading.Event()
        self.ended = threading.Event()
        self.said: tuple[float, str] | None = None
        self.error: Exception | None = None
        self._run = run
        self._context = context

    def say(self, done: float, text: str) -> None:
        self.said = (min(1.0, max(0.0, done)), text)

    def start(self, spark: SparkSession, group: str) -> None:
        def work() -> None:
            try:
                spark.sparkContext.setJobGroup(group, group, interruptOnCancel=True)
                spark.sparkContext.setLocalProperty("spark.scheduler.pool", "jobs")
                self._run(self._context(self))
            except Exception as error:
                drop_frames(error)  # this attempt is in them, and all that the job had in memory
                self.error = JobCancelledError(str(error)) if self.cancel.is_set() else error
            finally:
                self.ended.set()

        Thread(target=work, name=group, daemon=True).start()


def _one_line(error: Exception) -> str:
    """Return the text for an operator: our own errors as they are, others with their kind."""
    text = next((line for line in str(error).splitlines() if line.strip()), "")
    return text if isinstance(error, MetricsError | ReplicationError) else f"{type(error).__name__}: {text}"
