"""Changes of clusters."""

from collections.abc import Mapping, Sequence

from srm_service.clusters.models import Cluster
from srm_service.clusters.secret_box import SecretsUnreadableError, decrypt, encrypt


def cluster_upsert(
    *, alias: str, bootstrap: Sequence[str], client: Mapping[str, str], secrets: Mapping[str, str]
) -> tuple[int, bool]:
    """Create or update a cluster; returns its id, and True when something changed."""
    known = Cluster.objects.filter(alias=alias).first()
    if known is not None and _same(known, bootstrap, client, secrets):
        return known.pk, False
    cluster = known or Cluster(alias=alias)
    cluster.bootstrap = list(bootstrap)
    cluster.client = dict(client)
    cluster.secrets = encrypt(secrets)
    cluster.full_clean(exclude=["secrets"])
    cluster.save()
    return cluster.pk, True


def _same(cluster: Cluster, bootstrap: Sequence[str], client: Mapping[str, str], secrets: Mapping[str, str]) -> bool:
    try:
        known_secrets = decrypt(cluster.secrets)
    except SecretsUnreadableError:
        return False
    return (cluster.bootstrap, cluster.client, known_secrets) == (list(bootstrap), dict(client), dict(secrets))
