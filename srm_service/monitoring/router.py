"""Sends the tables of the metrics store to their own database, and nothing else there."""

from typing import Any

from django.db.models import Model

METRICS = "metrics"
_APP = "monitoring"


class MetricsRouter:
    def db_for_read(self, model: type[Model], **hints: Any) -> str | None:
        return METRICS if model._meta.app_label == _APP else None

    def db_for_write(self, model: type[Model], **hints: Any) -> str | None:
        return self.db_for_read(model, **hints)

    def allow_relation(self, first: Model, second: Model, **hints: Any) -> bool | None:
        return (first._meta.app_label == _APP) == (second._meta.app_label == _APP)

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        return (db == METRICS) == (app_label == _APP)
