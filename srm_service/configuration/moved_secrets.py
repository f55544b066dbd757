"""Refuses versions that would send a stored secret of a cluster elsewhere than it was stored for.

The forms of clusters refuse it, too; here every change of the tree passes: properties, drafts, imports and reverts.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from replication.config import ClusterDefinition
from replication.config.settings.prefixes import is_connection_key
from replication.config.tree.operator.addresses import is_address
from srm_service.clusters.stored_secrets import usable_secrets
from srm_service.configuration.cells import Cells, Edit
from srm_service.configuration.contracts import SecretsNotSentError


@dataclass(frozen=True, slots=True)
class _Stored:
    """A stored connection with the names of its secrets."""

    bootstrap: tuple[str, ...]
    client: Mapping[str, str]
    secret_names: tuple[str, ...]


def touches_connections(edits: Iterable[Edit]) -> bool:
    """Return True if edits may change where clusters are, or how drivers log in."""
    return any(is_connection_key(edit.place.name) or is_address(edit.place.name) for edit in edits)


def check_kept_secrets(
    before: Iterable[ClusterDefinition],
    after: Iterable[ClusterDefinition],
    *,
    wanted: Cells,
    given: Collection[str],
) -> None:
    """Raise SecretsNotSentError if a secret that is stored and not in `given`, the keys of the change, would move."""
    known = {cluster.alias: cluster for cluster in before}
    keys = {place.key for place in wanted}
    for cluster in after:
        former = known.get(cluster.alias)
        if former is None:
            continue
        own = {name: f"{cluster.alias}.{name}" for name in former.secrets}
        places = {name: key if key in keys else name for name, key in own.items()}
        kept = {name for name, value in former.secrets.items() if cluster.secrets.get(name) == value}
        entered = [name for name in former.secrets if name not in kept or places[name] in given]
        try:
            usable_secrets(
                _Stored(former.bootstrap, former.client, tuple(former.secrets)),
                cluster.bootstrap,
                cluster.client,
                entered,
            )
        except SecretsNotSentError as error:
            raise SecretsNotSentError([places[name] for name in error.names]) from error
