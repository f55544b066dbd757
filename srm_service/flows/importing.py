"""Imports clusters and flows from a properties file; repeating an import changes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from replication.config import FlowDefinition, ReplicationConfig
from srm_service.clusters.services import cluster_upsert
from srm_service.flows.models import Flow


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The numbers of imported and changed clusters and flows, and the flows that are not in the file."""

    clusters: int
    clusters_changed: int
    flows: int
    flows_changed: int
    not_in_file: tuple[str, ...]


def config_import(config: ReplicationConfig) -> ImportResult:
    """Import the file into the database. Flows that are not in the file are kept and reported.

    The state that operators gave a flow, such as a pause, is kept.
    """
    with transaction.atomic():
        stored = {
            cluster.alias: cluster_upsert(
                alias=cluster.alias, bootstrap=cluster.bootstrap, client=cluster.client, secrets=cluster.secrets
            )
            for cluster in config.clusters
        }
        ids = {alias: identity for alias, (identity, _) in stored.items()}
        flows_changed = sum(_flow_upsert(flow, ids) for flow in config.flows)
        named = {(flow.source, flow.target) for flow in config.flows}
        others = [
            f"{source}->{target}"
            for source, target in Flow.objects.values_list("source__alias", "target__alias")
            if (source, target) not in named
        ]
    return ImportResult(
        clusters=len(config.clusters),
        clusters_changed=sum(changed for _, changed in stored.values()),
        flows=len(config.flows),
        flows_changed=flows_changed,
        not_in_file=tuple(others),
    )


def _flow_upsert(definition: FlowDefinition, cluster_ids: Mapping[str, int]) -> bool:
    pair = {"source_id": cluster_ids[definition.source], "target_id": cluster_ids[definition.target]}
    known = Flow.objects.filter(**pair).first()
    wanted = _columns(definition)
    if known is not None and all(getattr(known, name) == value for name, value in wanted.items()):
        return False
    flow = known or Flow(**pair)
    for name, value in wanted.items():
        setattr(flow, name, value)
    flow.full_clean()
    flow.save()
    return True


def _columns(definition: FlowDefinition) -> Mapping[str, Any]:
    return {
        "enabled": definition.enabled,
        "heartbeats": definition.heartbeats,
        "tasks_max": definition.tasks_max,
        "delivery": definition.delivery,
        "policy_kind": definition.policy.kind,
        "policy_separator": definition.policy.separator,
        "policy_template": definition.policy.template or "",
        "topics_allow": list(definition.topics_allow),
        "topics_deny": list(definition.topics_deny),
        "groups_allow": list(definition.groups_allow),
        "groups_deny": list(definition.groups_deny),
        "start": definition.start,
        "gap_policy": definition.gap_policy,
        "connectors": {name: dict(values) for name, values in definition.connectors.items()},
    }
