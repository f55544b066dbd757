"""Writes the clusters and flows that follow from the tree: the only caller of their `write` functions."""

from srm_service.clusters.services import clusters_remove, clusters_write
from srm_service.configuration.derivation import Derived
from srm_service.flows.derived_flows import flows_write


def project(derived: Derived) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Make the tables equal to what follows from the tree; returns the clusters and flows that have changed."""
    clusters = {cluster.alias: cluster for cluster in derived.clusters}
    flows = {(flow.source, flow.target): flow for flow in derived.flows}
    changed = clusters_write(clusters, derived.problems)
    pairs = flows_write(flows, derived.problems)
    return (*changed, *clusters_remove(clusters)), pairs
