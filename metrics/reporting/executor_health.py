"""Finds executors that fail, are lost or are slow, from Spark's summaries of them. Pure.

Spark's numbers grow from the start of an executor. The difference of two summaries tells about the time between.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

WINDOW_MS = 600_000
_SAMPLE_EVERY_MS = 30_000
LOCAL_EXECUTOR = "driver"  # Spark's id of the one executor in local mode, and of the driver's entry elsewhere
_LEAST_FAILED = 3
_SLOW_RATIO = 4.0
_LEAST_SLOWER_MS = 500.0  # tasks of small batches differ by less without a reason
_LEAST_TASKS = 10
_WANTED_ENDS = ("killed by driver", "decommission", "idle")  # Spark gave the executor back


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorSummary:
    """An executor as Spark has it; the numbers are totals since its start."""

    id: str
    host: str
    completed_tasks: int = 0
    failed_tasks: int = 0
    task_ms: int = 0
    is_excluded: bool = False
    removed_ms: int | None = None
    removal: str = ""

    @property
    def name(self) -> str:
        return "the metrics process itself" if self.id == LOCAL_EXECUTOR else f"executor {self.id} on host {self.host}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    executor: ExecutorSummary
    completed: int
    failed: int
    task_ms: int

    @property
    def mean_ms(self) -> float:
        return self.task_ms / max(1, self.completed + self.failed)


def executor_warning(now: Sequence[ExecutorSummary], before: Sequence[ExecutorSummary], now_ms: int) -> str:
    """Return a sentence for each executor that fails, is lost or is slow, with the remedy; empty if all is well.

    `before` are the summaries at the beginning of the window; an executor that it lacks has started since.
    """
    known = {executor.id: executor for executor in before}
    changes = [_change(executor, known.get(executor.id)) for executor in now]
    return " ".join((*_lost(now, now_ms), *_failing(changes), *_excluded(now), *_slow(changes)))


def _change(now: ExecutorSummary, before: ExecutorSummary | None) -> _Change:
    return _Change(
        executor=now,
        completed=now.completed_tasks - (before.completed_tasks if before else 0),
        failed=now.failed_tasks - (before.failed_tasks if before else 0),
        task_ms=now.task_ms - (before.task_ms if before else 0),
    )


def _lost(executors: Sequence[ExecutorSummary], now_ms: int) -> Iterator[str]:
    for executor in executors:
        if executor.removed_ms is None or now_ms - executor.removed_ms > WINDOW_MS:
            continue
        reason = " ".join(executor.removal.split())
        if not any(word in reason.lower() for word in _WANTED_ENDS):
            yield (
                f"Spark lost {executor.name}: {reason.rstrip('.') or 'no reason given'}. "
                "Check that host; exit code 137 usually means that its memory is too small."
            )


def _failing(changes: Sequence[_Change]) -> Iterator[str]:
    for change in sorted(changes, key=lambda change: -change.failed):
        if change.failed >= _LEAST_FAILED and change.executor.removed_ms is None:
            text = f"{change.executor.name}: {change.failed} failed tasks in the last 10 minutes."
            is_local = change.executor.id == LOCAL_EXECUTOR
            log = "its log" if is_local else "its stderr log on that host"
            yield f"{text[0].upper()}{text[1:]} Read {log} for the reason."


def _excluded(executors: Sequence[ExecutorSummary]) -> Iterator[str]:
    for executor in executors:
        if executor.is_excluded and executor.removed_ms is None:
            yield f"Spark excludes {executor.name} because its tasks failed. Repair that host or stop its worker."


def _slow(changes: Sequence[_Change]) -> Iterator[str]:
    """Compare each executor with the median of the others: of two, the median of both is never exceeded by far."""
    busy = [change for change in changes if change.completed >= _LEAST_TASKS and change.executor.removed_ms is None]
    for change in busy if len(busy) > 1 else ():
        usual_ms = median(other.mean_ms for other in busy if other is not change)
        if change.mean_ms >= _SLOW_RATIO * usual_ms and change.mean_ms - usual_ms >= _LEAST_SLOWER_MS:
            text = f"{change.executor.name}: its tasks take {change.mean_ms / max(usual_ms, 1.0):.0f} times the median"
            yield f"{text[0].upper()}{text[1:]}. Look for other load on that host, or stop its worker."


@dataclass(slots=True)
class ExecutorHistory:
    """Remembers summaries of the last ten minutes."""

    _samples: deque[tuple[int, Mapping[str, ExecutorSummary]]] = field(default_factory=deque)

    def warning(self, executors: Sequence[ExecutorSummary], now_ms: int) -> str:
        """Return the warning about these executors, and remember them."""
        while len(self._samples) > 1 and now_ms - self._samples[1][0] >= WINDOW_MS:
            self._samples.popleft()
        before = self._samples[0][1].values() if self._samples else ()
        if not self._samples or now_ms - self._samples[-1][0] >= _SAMPLE_EVERY_MS:
            self._samples.append((now_ms, {executor.id: executor for executor in executors}))
        return executor_warning(executors, tuple(before), now_ms)
