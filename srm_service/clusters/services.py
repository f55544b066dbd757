"""Writes clusters as they follow from the property tree. Only `configuration.derived.projection` calls these functions."""

from collections.abc import Collection, Mapping

from replication.config import ClusterDefinition
from srm_service.clusters.models import Cluster
from srm_service.clusters.secret_box import SecretsUnreadableError, decrypt, encrypt


def clusters_write(clusters: Mapping[str, ClusterDefinition], problems: Mapping[str, str]) -> tuple[str, ...]:
    """Create and update clusters; `problems` are by alias. Returns the aliases that have changed."""
    stored = {cluster.alias: cluster for cluster in Cluster.objects.select_for_update()}
    return tuple(
        alias
        for alias, definition in clusters.items()
        if _write(stored.get(alias), definition, problems.get(alias, ""))
    )


def clusters_remove(keep: Collection[str]) -> tuple[str, ...]:
    """Delete the clusters that are not in the tree; returns their aliases."""
    gone = [alias for alias in Cluster.objects.values_list("alias", flat=True) if alias not in keep]
    for alias in gone:
        Cluster.objects.filter(alias=alias).delete()
    return tuple(gone)


def secrets_reseal() -> int:
    """Seal all secrets of clusters with the first key; returns their number. Raises SecretsUnreadableError."""
    sealed = list(Cluster.objects.exclude(secrets="").select_for_update())
    for cluster in sealed:
        cluster.secrets = encrypt(decrypt(cluster.secrets))
    Cluster.objects.bulk_update(sealed, ["secrets"], batch_size=200)
    return len(sealed)


def _write(known: Cluster | None, definition: ClusterDefinition, problem: str) -> bool:
    if known is not None and _is_same(known, definition, problem):
        return False
    cluster = known or Cluster(alias=definition.alias)
    cluster.bootstrap = list(definition.bootstrap)
    cluster.client = dict(definition.client)
    cluster.secrets = encrypt(definition.secrets)
    cluster.problem = problem
    cluster.full_clean(exclude=["secrets", "bootstrap"])
    cluster.save()
    return True


def _is_same(cluster: Cluster, definition: ClusterDefinition, problem: str) -> bool:
    try:
        secrets = decrypt(cluster.secrets)
    except SecretsUnreadableError:
        return False
    stored = (cluster.bootstrap, cluster.client, secrets, cluster.problem)
    return stored == (list(definition.bootstrap), definition.client, definition.secrets, problem)
