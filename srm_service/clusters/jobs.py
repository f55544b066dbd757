"""Maintenance jobs for clusters."""

from celery import shared_task

from srm_service.clusters.discovery import refresh_pairs
from srm_service.core.clock import now_ms

DISCOVER_PAIRS = "srm.clusters.discover_pairs"


@shared_task(name=DISCOVER_PAIRS, expires=50)
def discover_pairs() -> int:
    """Read the heartbeats of all clusters; returns the number of clusters that answered."""
    return refresh_pairs(now_ms())
