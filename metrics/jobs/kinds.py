"""The kinds of batch jobs, by the name the service asks for them."""

from collections.abc import Mapping
from importlib import import_module

from metrics.jobs.runner import RunJob
from replication.domain.reporting.tile_retention import TileRetention


def job_kinds(store_url: str, retention: TileRetention) -> Mapping[str, RunJob]:
    """Each kind is loaded when it runs first, so that the streams start without them."""
    return {
        "audit": _later("metrics.audit.job.audit_job", "run_audit"),
        "backfill": _later("metrics.backfill.backfill_job", "run_backfill"),
        "export": _later("metrics.export.export_job", "run_export", store_url=store_url, retention=retention),
    }


def _later(module: str, name: str, **settings: object) -> RunJob:
    return lambda context: getattr(import_module(module), name)(context, **settings)
