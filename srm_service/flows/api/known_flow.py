"""Resolves the flow in a REST path."""

from rest_framework.exceptions import NotFound

from replication.domain.identifiers import FlowId
from srm_service.flows.selectors import flow_find


def known_flow(source: str, target: str) -> FlowId:
    """Return the flow's id. Raises NotFound."""
    if flow_find(source, target) is None:
        raise NotFound(f"there is no replication {source}->{target}; GET /api/v2/replications lists all")
    return FlowId(source, target)
