"""Maintenance job for lists."""

from celery import shared_task

from replication.domain.plan.slot import ClusterClient
from srm_service.clusters.selectors import cluster_access
from srm_service.flows.selectors import flow_targets
from srm_service.lists.following import follower

FOLLOW_LISTS = "srm.lists.follow"


@shared_task(name=FOLLOW_LISTS, expires=2)
def follow_lists() -> None:
    """Start reading the control topics of all targets, which others may have changed."""
    follower.start(
        ClusterClient(alias=access.alias, bootstrap=access.bootstrap, client={**access.client, **access.secrets})
        for access in cluster_access(flow_targets()).values()
    )
