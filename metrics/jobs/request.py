"""Asks the running metrics process for a job, through the job table, and waits for its end."""

import json
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from metrics.backfill.backfill_steps import wanted_range
from metrics.errors import JobError
from metrics.export.export_spec import ExportSpec
from metrics.export.hours import closed_range
from metrics.store.address import connect
from metrics.store.connection import SharedConnection
from metrics.store.job_queue import JobQueue, why_it_waits
from metrics.store.job_table import JobTable
from metrics.store.rollup import rolled_hours_to

_LOOK_S = 1.0
_OPEN = ("requested", "claimed", "running")


def check_backfill(target: str, spec: Mapping[str, Any], store_url: str) -> None:
    """Check all that the job can check without reading Kafka, before it is requested.

    Raises JobError when the target is unknown or the range cannot be replaced, MetricsError when the store does not
    answer.
    """
    store = connect(store_url)
    try:
        wanted_range(spec, _rolled_to_ms(store, target))
    finally:
        store.close()


def check_export(targets: Collection[str], spec: ExportSpec, store_url: str) -> tuple[str, ...]:
    """Return the targets to export: those named, or all of the store. Check them as `check_backfill` does."""
    store = connect(store_url)
    try:
        found = tuple(targets) or tuple(JobQueue(store).writers())
        if not found:
            raise JobError("nothing to export: no metrics process has counted a target into this store")
        for target in found:
            closed_to_ms = _rolled_to_ms(store, target)
            if spec.wanted is not None:
                closed_range(*spec.wanted, closed_to_ms)
        return found
    finally:
        store.close()


def _rolled_to_ms(store: SharedConnection, target: str) -> int:
    known = JobQueue(store).writers()
    if target not in known:
        targets = ", ".join(known) or "none"
        raise JobError(f"no metrics process has counted a target {target!r}; known are {targets}")
    with store.reading() as connection:
        return rolled_hours_to(connection, target)


def run_request(
    kind: str, target: str, spec: Mapping[str, Any], store_url: str, *, wait: bool, say: Callable[[str], None]
) -> int:
    """The exit code: 0 when the job is done or only asked for. Raises MetricsError when the store does not answer."""
    store = connect(store_url)
    try:
        table = JobTable(store, "nobody")
        job_id = table.request(kind, target, spec)
        say(f"{kind} of {target} asked for as job {job_id}")
        return _wait(store, table, job_id, target, say) if wait else 0
    finally:
        store.close()


def _wait(store: SharedConnection, table: JobTable, job_id: int, target: str, say: Callable[[str], None]) -> int:
    said = ""
    try:
        while True:
            state, text, error = _job_state(store, table, job_id, target)
            if text != said:
                say(text)
                said = text
            if state not in _OPEN:
                if error:
                    say(f"Error: {error}")
                return 0 if state == "done" else 1
            time.sleep(_LOOK_S)
    except KeyboardInterrupt:
        say(f"job {job_id} continues; `srm metrics jobs` lists it, `srm metrics jobs --cancel {job_id}` ends it")
        return 1


def _job_state(store: SharedConnection, table: JobTable, job_id: int, target: str) -> tuple[str, str, str | None]:
    """State, what to say of it, and the error of a job."""
    state, progress, error = table.state(job_id)
    if state == "requested":
        queue = JobQueue(store)
        now_ms = time.time_ns() // 1_000_000
        why = why_it_waits(job_id, target, queue.open_jobs(), queue.writers().get(target), now_ms)
        return state, f"{state}: {why}", error
    return state, f"{state}: {json.loads(progress)['text']}" if progress else state, error
