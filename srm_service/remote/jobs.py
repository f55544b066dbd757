"""Maintenance jobs for remote services."""

from concurrent.futures import wait

from celery import shared_task
from django.conf import settings

from replication.domain.plan.slot import ClusterClient
from srm_service.clusters.selectors import cluster_access
from srm_service.configuration.selectors import system_settings
from srm_service.flows.selectors import reported_targets
from srm_service.remote.asking.client import PeerError
from srm_service.remote.asking.ledger import ledger, note_identity
from srm_service.remote.asking.loop import peer_loop
from srm_service.remote.asking.requests import PeerHello, greet
from srm_service.remote.contracts import PeerPlan
from srm_service.remote.following import ClusterWork, follower
from srm_service.remote.selectors import peer_plan
from srm_service.remote.services import forget_clusters

ADVERTISE = "srm.remote.advertise"
PROBE = "srm.remote.probe"
SERVICE_PATH = "service"


@shared_task(name=ADVERTISE, expires=2)
def advertise() -> None:
    """Start advertising this service in its targets, and reading what others advertise in remote targets."""
    manager = system_settings()
    targets = tuple(sorted(reported_targets())) if settings.SRM_REMOTE.advertised else ()
    aliases = frozenset({*targets, *manager.remote_targets})
    forget_clusters(aliases)
    follower.start(
        {
            alias: ClusterWork(
                client=ClusterClient(
                    alias=alias, bootstrap=access.bootstrap, client={**access.client, **access.secrets}
                ),
                targets=targets if alias in targets else (),
                is_read=alias in manager.remote_targets,
                replication_factor=manager.advertisement_factor,
            )
            for alias, access in cluster_access(aliases).items()
        }
    )


@shared_task(name=PROBE, expires=5)
def probe() -> int:
    """Ask every service that may be asked who it is, all at once; returns the number of those that answered."""
    plan = peer_plan()
    addresses = sorted({offer.address for offer in plan.offers})
    probes = {address: peer_loop.submit(_probe(address, plan)) for address in addresses}
    wait(probes.values(), timeout=settings.SRM_REMOTE.timeout_ms / 1000 + 1.0)
    answers = {address: probe.result() for address, probe in probes.items() if probe.done()}
    ledger.store(at_once=True)
    for address, hello in answers.items():
        if hello is not None:
            note_identity(
                address,
                service=hello.service,
                version=hello.version,
                clock_difference_ms=hello.clock_difference_ms,
            )
    return sum(hello is not None for hello in answers.values())


async def _probe(address: str, plan: PeerPlan) -> PeerHello | None:
    try:
        return (await greet(address, SERVICE_PATH, plan))[1]
    except PeerError:  # is in the ledger
        return None
