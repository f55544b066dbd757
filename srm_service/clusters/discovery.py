"""Looks for flows that are not registered, by the heartbeats in each cluster; the database keeps what was found."""

import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import structlog
from django.db import transaction

from replication.domain.errors import ReplicationError
from replication.domain.identifiers import FlowId
from replication.domain.plan.slot import ClusterClient
from srm_service.clusters.contracts import ClusterAccess, DiscoveredFlow, SilentCluster
from srm_service.clusters.models import ALIAS_PATTERN, Cluster, DiscoveredPair, PairDiscovery
from srm_service.clusters.selectors import cluster_access
from srm_service.flows.selectors import flow_list
from srm_service.wiring import heartbeats_in

DEADLINE_S = 10.0
FORGET_AFTER_MS = 24 * 3_600_000
_AT_ONCE = 8
_MOST_PAIRS = 1_000  # per cluster; the topic is not ours
_ALIAS = re.compile(ALIAS_PATTERN)
_log = structlog.get_logger(__name__)
Found = Mapping[FlowId, int] | str  # the pairs, or why there are none
ReadHeartbeats = Callable[[ClusterAccess], Mapping[FlowId, int]]


def read_heartbeats(access: ClusterAccess) -> Mapping[FlowId, int]:
    """Return the newest heartbeats in a cluster by flow. Blocks; raises ReplicationError."""
    client = ClusterClient(alias=access.alias, bootstrap=access.bootstrap, client={**access.client, **access.secrets})
    return heartbeats_in(client, deadline_s=DEADLINE_S)


def refresh_pairs(now_ms: int, read: ReadHeartbeats = read_heartbeats) -> int:
    """Read the heartbeats of all clusters, several at once; returns the number of those that answered."""
    accesses = cluster_access()
    with ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="discovery") as pool:
        found = dict(zip(accesses, pool.map(lambda access: _read_pairs(access, read), accesses.values()), strict=True))
    for cluster in Cluster.objects.all():
        pairs = found.get(cluster.alias, "its settings cannot be read; the log of the service says why")
        _store(cluster, pairs, now_ms)
    return sum(not isinstance(pairs, str) for pairs in found.values())


def discovered_flows(now_ms: int) -> tuple[tuple[DiscoveredFlow, ...], tuple[SilentCluster, ...]]:
    """Return the flows with a heartbeat of the last day that are not registered, and the clusters without an answer."""
    known = {(flow.source, flow.target) for flow in flow_list()}
    clusters = list(Cluster.objects.prefetch_related("discovered_pairs").select_related("pair_discovery"))
    aliases = {cluster.alias for cluster in clusters}
    flows = [
        DiscoveredFlow(
            source=pair.source,
            target=cluster.alias,
            named_target=pair.named_target,
            source_is_registered=pair.source in aliases,
            first_seen_ms=pair.first_seen_ms,
            heartbeat_ms=pair.heartbeat_ms,
        )
        for cluster in clusters
        for pair in cluster.discovered_pairs.all()
        if (pair.source, cluster.alias) not in known
        and pair.source != cluster.alias
        and pair.heartbeat_ms > now_ms - FORGET_AFTER_MS
    ]
    silent = tuple(each for cluster in clusters if (each := _silent(cluster, now_ms)) is not None)
    return tuple(sorted(flows, key=lambda flow: flow.key)), silent


def _read_pairs(access: ClusterAccess, read: ReadHeartbeats) -> Found:
    try:
        return read(access)
    except ReplicationError as error:
        return error.text
    except Exception as error:
        _log.exception("heartbeats cannot be read", cluster=access.alias)
        return f"reading its heartbeats failed with {type(error).__name__}"


def _store(cluster: Cluster, found: Found, now_ms: int) -> None:
    """Write what one cluster answered; without an answer, what is known of it stays."""
    if isinstance(found, str):
        changes = {"looked_ms": now_ms, "error": found}
        PairDiscovery.objects.update_or_create(cluster=cluster, defaults=changes)
        return
    names = (pair for pair in found if _ALIAS.fullmatch(pair.source) and _ALIAS.fullmatch(pair.target))
    pairs = sorted(names, key=lambda pair: -found[pair])[:_MOST_PAIRS]
    with transaction.atomic():
        for pair in pairs:
            DiscoveredPair.objects.update_or_create(
                cluster=cluster,
                source=pair.source,
                named_target=pair.target,
                defaults={"heartbeat_ms": found[pair]},
                create_defaults={"heartbeat_ms": found[pair], "first_seen_ms": now_ms},
            )
        cluster.discovered_pairs.filter(heartbeat_ms__lte=now_ms - FORGET_AFTER_MS).delete()
        changes = {"looked_ms": now_ms, "answered_ms": now_ms, "error": ""}
        PairDiscovery.objects.update_or_create(cluster=cluster, defaults=changes)


def _silent(cluster: Cluster, now_ms: int) -> SilentCluster | None:
    discovery = getattr(cluster, "pair_discovery", None)
    if discovery is None:
        return SilentCluster(alias=cluster.alias, error="its heartbeats have not been read yet", age_ms=None)
    if not discovery.error:
        return None
    age_ms = None if discovery.answered_ms is None else max(0, now_ms - discovery.answered_ms)
    return SilentCluster(alias=cluster.alias, error=discovery.error, age_ms=age_ms)
