"""Entry point of a driver process: `celery -A replication.worker.app worker` (README.md beside this file)."""

import os

from replication.worker.jobs.celery_app import build_app
from replication.worker.reporting.logs import configure_logs
from replication.worker.settings import SettingsError, WorkerSettings
from replication.worker.wiring import kafka_dependencies

try:
    _settings = WorkerSettings.from_environment(os.environ)
except SettingsError as error:
    raise SystemExit(f"srm driver: {error}") from error
configure_logs(_settings.log_level, _settings.log_format, {"driver": _settings.driver, "role": _settings.role})
app = build_app(_settings, kafka_dependencies())
