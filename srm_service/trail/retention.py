"""Deletes old entries of the audit trail, the only deletion that there is."""

from datetime import datetime

from django.db.models import QuerySet

from srm_service.trail.contracts import MAINTENANCE, TrailSubject
from srm_service.trail.models import TrailEntry
from srm_service.trail.services import record

_AT_ONCE = 1_000  # rows per transaction, so that no change waits for long


def trail_prune(before: datetime) -> int:
    """Delete the entries before this time, and record how many; returns their number.

    The database refuses this for entries that are younger than 30 days.
    """
    old: QuerySet[TrailEntry] = QuerySet(TrailEntry).filter(at__lt=before)  # the entries' own queries refuse deletions
    deleted = 0
    while keys := list(old.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]):
        deleted += old.filter(pk__in=keys).delete()[0]
    if deleted:
        after = {"entries": deleted, "before": before}
        record(by=MAINTENANCE, action="trail.prune", subject=TrailSubject("service", "trail"), after=after)
    return deleted
