"""Writes the clusters and flows that follow from the tree: the only caller of their `write` functions."""

from srm_service.clusters.services import clusters_remove, clusters_write
from srm_service.configuration.derived.derivation import Derived
from srm_service.flows.derived_flows import derived_columns, flows_write


def project(derived: Derived) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Make the tables equal to what follows from the tree; returns the clusters and flows that have changed."""
    clusters = {cluster.alias: cluster for cluster in derived.clusters}
    flows = {(flow.source, flow.target): flow for flow in derived.flows}
    changed = clusters_write(clusters, derived.problems)
    pairs = flows_write(flows, derived.problems)
    return (*changed, *clusters_remove(clusters)), pairs


def changed_clusters(before: Derived, after: Derived) -> tuple[str, ...]:
    """Return the aliases of clusters that differ."""
    one = {each.alias: (each, before.problems.get(each.alias)) for each in before.clusters}
    other = {each.alias: (each, after.problems.get(each.alias)) for each in after.clusters}
    return tuple(alias for alias in {**one, **other} if one.get(alias) != other.get(alias))


def changed_flows(before: Derived, after: Derived) -> tuple[tuple[str, str], ...]:
    """Return the pairs of flows that differ in what drivers get."""
    one = {(each.source, each.target): derived_columns(each) for each in before.flows}
    other = {(each.source, each.target): derived_columns(each) for each in after.flows}
    return tuple(pair for pair in {**one, **other} if one.get(pair) != other.get(pair))
