"""The kinds of batch jobs, by the name the service asks for them."""

from collections.abc import Mapping
from importlib import import_module

from metrics.jobs.runner import RunJob


def job_kinds() -> Mapping[str, RunJob]:
    """Each kind is loaded when it runs first, so that the streams start without them."""
    return {
        "audit": _later("metrics.audit.job.audit_job", "run_audit"),
        "backfill": _later("metrics.backfill.backfill_job", "run_backfill"),
    }


def _later(module: str, name: str) -> RunJob:
    return lambda context: getattr(import_module(module), name)(context)
