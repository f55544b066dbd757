"""Asks the running metrics process for a job, through the job table, and waits for its end."""

import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from metrics.store.address import connect
from metrics.store.job_table import JobTable

_LOOK_S = 1.0
_OPEN = ("requested", "claimed", "running")


def epoch_ms(text: str) -> int:
    """Epoch ms as a number, or ISO 8601, UTC where it names no zone. ValueError says how to write it."""
    if text.isdigit():
        return int(text)
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"cannot read the time {text!r}: write it like 2026-11-21T05:00Z, or in epoch ms") from error
    return round((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1_000)


def run_request(
    kind: str, target: str, spec: Mapping[str, Any], store_url: str, *, wait: bool, say: Callable[[str], None]
) -> int:
    """The exit code: 0 when the job is done or only asked for. Raises MetricsError when the store does not answer."""
    table = JobTable(connect(store_url), "nobody")
    try:
        job_id = table.request(kind, target, spec)
        say(f"{kind} of {target} asked for as job {job_id}")
        return _wait(table, job_id, say) if wait else 0
    finally:
        table.close()


def _wait(table: JobTable, job_id: int, say: Callable[[str], None]) -> int:
    said = ""
    while True:
        state, progress, error = table.state(job_id)
        text = f"{state}: {json.loads(progress)['text']}" if progress else state
        if text != said:
            say(text)
            said = text
        if state not in _OPEN:
            if error:
                say(f"Error: {error}")
            return 0 if state == "done" else 1
        time.sleep(_LOOK_S)
