"""Creates, changes and deletes clusters: their settings in the property tree, the rest in their row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from replication.config.security.completeness import missing_settings
from replication.config.tree.properties import PropertyPlace, PropertyTree
from replication.domain.settings.registry.flow import EMIT_HEARTBEATS
from srm_service.clusters.contracts import ClusterDto
from srm_service.clusters.models import DEFAULT_LOCATION, Cluster
from srm_service.clusters.selectors import cluster_find
from srm_service.clusters.stored_secrets import usable_secrets
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.forms.changes import FormAuthor, change_tree
from srm_service.configuration.forms.fields import (
    aliases_change,
    aliases_in,
    cluster_changes,
    cluster_removal,
)
from srm_service.flows.selectors import flow_list
from srm_service.trail.contracts import TrailSubject
from srm_service.trail.services import record_description

Check = Callable[[ClusterDto], None]


class ClusterNotFoundError(Exception):
    """There is no such cluster."""


class ClusterConflictError(Exception):
    """The change conflicts with other clusters or flows; the text gives the reason and the remedy."""


class IncompleteClusterError(Exception):
    """An external cluster lacks settings; `missing` names their keys."""

    def __init__(self, missing: Sequence[str]) -> None:
        self.missing = tuple(missing)
        super().__init__(f"an external cluster needs {', '.join(self.missing)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterChange:
    """New values; None and missing columns keep the present ones. A client key with None is removed."""

    bootstrap: Sequence[str] | None = None
    client: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    columns: Mapping[str, Any] = field(default_factory=dict)  # description and location


def cluster_create(alias: str, change: ClusterChange, author: FormAuthor) -> ClusterDto:
    """Register a cluster. It brings no flow: flows are created one by one.

    Raises ClusterConflictError, IncompleteClusterError, InvalidChangeError.
    """

    def build(tree: PropertyTree) -> list[PropertyChange]:
        aliases = aliases_in(tree)
        if alias in aliases:
            raise ClusterConflictError(f"there is a cluster {alias} already; PATCH /api/v2/clusters/{alias} changes it")
        _check_complete(tree, alias, change, change.columns.get("location", DEFAULT_LOCATION))
        return [
            aliases_change([*aliases, alias]),
            *cluster_changes(alias, bootstrap=change.bootstrap, client=change.client),
            *_without_flows(tree, alias),
        ]

    also = partial(_write_columns, alias, change.columns, author)
    change_tree(build, author, action="cluster.create", subjects=[TrailSubject("cluster", alias)], also=also)
    return _known(alias)


def cluster_change(alias: str, change: ClusterChange, author: FormAuthor, *, check: Check) -> ClusterDto:
    """Change a cluster; `check` sees the present one first.

    Raises ClusterNotFoundError, IncompleteClusterError, SecretsNotSentError, InvalidChangeError, and what `check`
    raises.
    """

    def build(tree: PropertyTree) -> list[PropertyChange]:
        known = _known(alias)
        check(known)
        _check_complete(tree, alias, change, change.columns.get("location", known.location))
        client = {name: value for name, value in {**known.client, **change.client}.items() if value is not None}
        bootstrap = known.bootstrap if change.bootstrap is None else change.bootstrap
        usable_secrets(known, bootstrap, client, change.client)
        return cluster_changes(alias, bootstrap=change.bootstrap, client=change.client)

    also = partial(_write_columns, alias, change.columns, author)
    change_tree(build, author, action="cluster.change", subjects=[TrailSubject("cluster", alias)], also=also)
    return _known(alias)


def cluster_delete(alias: str, author: FormAuthor, *, check: Check) -> None:
    """Delete a cluster that no flow uses. Raises ClusterNotFoundError, ClusterConflictError, and what `check` does."""

    def build(tree: PropertyTree) -> list[PropertyChange]:
        check(_known(alias))
        used = [flow.key for flow in flow_list() if alias in (flow.source, flow.target)]
        if used:
            raise ClusterConflictError(f"cluster {alias} is used by {', '.join(used)}: delete these flows first")
        return cluster_removal(tree, alias)

    change_tree(build, author, action="cluster.delete", subjects=[TrailSubject("cluster", alias)])


def _without_flows(tree: PropertyTree, alias: str) -> list[PropertyChange]:
    """Return the changes that keep heartbeats, and so flows, away from all pairs of a new cluster."""
    everywhere = PropertyPlace(level="global", name=EMIT_HEARTBEATS.key)
    known, others = tree.at(everywhere), aliases_in(tree)
    if known is not None and known.value.strip().lower() == "false":
        return []
    if known is None and not others:
        return [PropertyChange(place=everywhere, value="false", comment="each flow has its own", origin="form")]
    pairs = [pair for other in others for pair in ((other, alias), (alias, other))]
    return [
        PropertyChange(
            place=PropertyPlace(level="flow", source=source, target=target, name=EMIT_HEARTBEATS.key),
            value="false",
            origin="form",
        )
        for source, target in pairs
    ]


def _check_complete(tree: PropertyTree, alias: str, change: ClusterChange, location: str) -> None:
    if location != "external":
        return
    values: dict[str, str | None] = {
        each.place.name: each.value
        for level in ("global", "cluster")
        for each in tree.properties
        if each.place.level == level and each.place.alias in ("", alias)
    }
    present = {name: value for name, value in {**values, **change.client}.items() if value is not None}
    if missing := missing_settings(present):
        raise IncompleteClusterError(missing)


def _write_columns(alias: str, columns: Mapping[str, Any], author: FormAuthor) -> None:
    """Write the description and the location. The version of the property tree records the settings."""
    if columns:
        cluster = Cluster.objects.select_for_update().get(alias=alias)
        before = {name: getattr(cluster, name) for name in columns}
        for name, value in columns.items():
            setattr(cluster, name, value)
        cluster.full_clean(exclude=["secrets", "bootstrap"], validate_unique=False)
        cluster.save(update_fields=[*columns, "updated_at"])
        record_description(
            TrailSubject("cluster", alias), by=author.by, before=before, after=columns, reason=author.comment
        )


def _known(alias: str) -> ClusterDto:
    known = cluster_find(alias)
    if known is None:
        raise ClusterNotFoundError(f"there is no cluster {alias}; GET /api/v2/clusters lists all")
    return known
