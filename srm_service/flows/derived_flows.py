"""Writes the columns of flows that follow from the property tree. Only `configuration.derived.projection` calls it.

What operators ask of a flow, such as a pause, holds and resets, is kept as long as the flow is in the tree.
"""

from collections.abc import Mapping
from typing import Any

from replication.config import FlowDefinition
from srm_service.clusters.selectors import cluster_ids
from srm_service.flows.models import Flow

Pair = tuple[str, str]


def flows_write(flows: Mapping[Pair, FlowDefinition], problems: Mapping[str, str]) -> tuple[Pair, ...]:
    """Create, update and delete flows; `problems` are by `source->target`. Returns the pairs that have changed."""
    ids = cluster_ids()
    stored = {
        (flow.source.alias, flow.target.alias): flow
        for flow in Flow.objects.select_related("source", "target").select_for_update(of=("self",))
    }
    gone = tuple(pair for pair in stored if pair not in flows)
    Flow.objects.filter(pk__in=[stored[pair].pk for pair in gone]).delete()
    written = tuple(
        pair
        for pair, definition in flows.items()
        if _write(
            stored.get(pair) or Flow(source_id=ids[pair[0]], target_id=ids[pair[1]]),
            derived_columns(definition) | {"problem": problems.get("->".join(pair), "")},
        )
    )
    return (*gone, *written)


def derived_columns(definition: FlowDefinition) -> dict[str, Any]:
    """Return the values of all columns that follow from the tree."""
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


def _write(flow: Flow, columns: Mapping[str, Any]) -> bool:
    if flow.pk is not None and all(getattr(flow, name) == value for name, value in columns.items()):
        return False
    for name, value in columns.items():
        setattr(flow, name, value)
    flow.full_clean(validate_unique=False, validate_constraints=False)
    flow.save()
    return True
