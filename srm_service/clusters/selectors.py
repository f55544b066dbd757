"""Queries of clusters."""

from collections.abc import Iterable

import structlog

from replication.config.files.providers import ProviderError, resolve
from srm_service.clusters.contracts import ClusterAccess, ClusterDto
from srm_service.clusters.models import Cluster
from srm_service.clusters.secret_box import SecretsUnreadableError, decrypt

_log = structlog.get_logger(__name__)


def cluster_list() -> tuple[ClusterDto, ...]:
    """All clusters by alias, without secrets. One query."""
    return tuple(_dto(cluster) for cluster in Cluster.objects.all())


def cluster_ids() -> dict[str, int]:
    """The primary keys of all clusters, by alias."""
    return dict(Cluster.objects.values_list("alias", "pk"))


def counted_aliases() -> set[str]:
    """Return the clusters whose raw metrics are counted."""
    return set(Cluster.objects.filter(is_counted=True).values_list("alias", flat=True))


def cluster_count() -> int:
    return Cluster.objects.count()


def cluster_find(alias: str) -> ClusterDto | None:
    cluster = Cluster.objects.filter(alias=alias).first()
    return None if cluster is None else _dto(cluster)


def cluster_access(aliases: Iterable[str] | None = None) -> dict[str, ClusterAccess]:
    """Clusters with secrets by alias, references looked up; one that cannot be opened is logged and skipped."""
    clusters = Cluster.objects.all() if aliases is None else Cluster.objects.filter(alias__in=list(aliases))
    found: dict[str, ClusterAccess] = {}
    for cluster in clusters:
        try:
            found[cluster.alias] = _access(cluster)
        except (SecretsUnreadableError, ProviderError) as error:
            _log.error("cluster skipped", cluster=cluster.alias, error=str(error))
    return found


def _access(cluster: Cluster) -> ClusterAccess:
    """Raises SecretsUnreadableError, ProviderError."""
    return ClusterAccess(
        alias=cluster.alias,
        bootstrap=tuple(cluster.bootstrap),
        client={name: resolve(value) for name, value in cluster.client.items()},
        secrets={name: resolve(value) for name, value in decrypt(cluster.secrets).items()},
        is_counted=cluster.is_counted,
    )


def _dto(cluster: Cluster) -> ClusterDto:
    try:
        names = tuple(sorted(decrypt(cluster.secrets)))
    except SecretsUnreadableError:
        names = ()
    return ClusterDto(
        alias=cluster.alias,
        bootstrap=tuple(cluster.bootstrap),
        client=dict(cluster.client),
        secret_names=names,
        problem=cluster.problem,
        location=cluster.location,
        changed_at=cluster.updated_at,
        description=cluster.description,
    )
