"""Entries of the trail are kept as long as the retention says, and the database itself refuses anything else."""

import importlib
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import Error, connection, transaction
from django.utils import timezone

from srm_service.celery import app
from srm_service.settings import env
from srm_service.trail.contracts import TrailSubject
from srm_service.trail.jobs import PRUNE_TRAIL, prune_trail
from srm_service.trail.models import TrailEntry
from srm_service.trail.retention import trail_prune
from srm_service.trail.services import record
from tests.component.service.conftest import BOTH

pytestmark = BOTH

_TRIGGERS = importlib.import_module("srm_service.trail.migrations.0002_append_only")


@pytest.fixture
def aged(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries that are 0, 29, 31, 400 and 500 days old."""
    now = timezone.now()
    for days in (500, 400, 31, 29, 0):
        monkeypatch.setattr("srm_service.trail.services.timezone.now", lambda days=days: now - timedelta(days=days))
        record(by="ann", action="flow.pause", subject=TrailSubject("flow", f"{days}->b"))
    monkeypatch.undo()


@pytest.fixture
def triggers(db: None) -> None:
    """The triggers of the migration, which the other tests do without on SQLite; a rollback removes them."""
    if connection.vendor == "sqlite":
        _run(_TRIGGERS.INSTALL["sqlite"][1])


def _run(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def _ages() -> list[str]:
    return [entry.subject.partition("->")[0] for entry in TrailEntry.objects.filter(action="flow.pause").order_by("at")]


@pytest.mark.usefixtures("aged", "triggers")
def test_the_maintenance_worker_deletes_what_is_older_and_records_it(settings: Any) -> None:
    settings.SRM_TRAIL_RETENTION_DAYS = 365

    assert prune_trail() == 2
    assert _ages() == ["31", "29", "0"]
    entry = TrailEntry.objects.get(action="trail.prune")
    after: Any = entry.after
    assert (entry.actor, entry.actor_kind, after["entries"]) == ("maintenance", "system", 2)
    assert prune_trail() == 0
    assert TrailEntry.objects.filter(action="trail.prune").count() == 1


@pytest.mark.usefixtures("aged", "triggers")
def test_without_a_retention_everything_is_kept(settings: Any) -> None:
    settings.SRM_TRAIL_RETENTION_DAYS = 0

    assert prune_trail() == 0
    assert len(_ages()) == 5


@pytest.mark.usefixtures("aged", "triggers")
def test_many_entries_are_deleted_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("srm_service.trail.retention._AT_ONCE", 1)

    assert trail_prune(timezone.now() - timedelta(days=30)) == 3
    assert _ages() == ["29", "0"]


@pytest.mark.usefixtures("aged", "triggers")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE trail_trailentry SET actor = 'someone else'",
        "UPDATE trail_trailentry SET at = '2001-01-01 00:00:00'",
        "DELETE FROM trail_trailentry",
        "DELETE FROM trail_trailentry WHERE subject = '29->b'",
    ],
)
def test_the_database_refuses_changes_and_deletions_of_young_entries(statement: str) -> None:
    with pytest.raises(Error, match="neither changed nor deleted"):
        _run(statement)
    assert _ages() == ["500", "400", "31", "29", "0"]


@pytest.mark.parametrize(("text", "days"), [("", 0), ("0", 0), ("30", 30), ("400", 400)])
def test_the_retention_is_a_number_of_days(monkeypatch: pytest.MonkeyPatch, text: str, days: int) -> None:
    monkeypatch.setenv("SRM_TRAIL_RETENTION_DAYS", text)

    assert env.days("SRM_TRAIL_RETENTION_DAYS", least=_TRIGGERS.YOUNGEST_DAYS) == days


@pytest.mark.parametrize(("text", "named"), [("29", "at least 30"), ("-1", "whole number"), ("1y", "whole number")])
def test_a_retention_that_the_database_would_refuse_is_refused_at_the_start(
    monkeypatch: pytest.MonkeyPatch, text: str, named: str
) -> None:
    monkeypatch.setenv("SRM_TRAIL_RETENTION_DAYS", text)

    with pytest.raises(ImproperlyConfigured, match=named):
        env.days("SRM_TRAIL_RETENTION_DAYS", least=_TRIGGERS.YOUNGEST_DAYS)


def test_the_maintenance_worker_has_the_job_in_its_schedule() -> None:
    assert PRUNE_TRAIL in {entry["task"] for entry in app.conf.beat_schedule.values()}
