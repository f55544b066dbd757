"""The tables of an earlier release become the property tree."""

from typing import Any

import pytest
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from srm_service.clusters.secret_box import encrypt
from srm_service.configuration.selectors import current_tree, current_version, stored_cells
from srm_service.configuration.versioning import derived_from
from srm_service.flows.derived_flows import derived_columns, flows_write
from srm_service.flows.models import Flow
from tests.component.service.conftest import BOTH

pytestmark = [BOTH]
_BEFORE = [("configuration", "0001_property_tree"), ("flows", "0003_problem"), ("clusters", "0002_problem")]
_COLUMNS: dict[str, Any] = {
    "enabled": True,
    "heartbeats": False,
    "tasks_max": 3,
    "delivery": "exactly_once",
    "policy_kind": "identity",
    "policy_separator": "_",
    "policy_template": "",
    "topics_allow": ["orders.*", "pay"],
    "topics_deny": [],
    "groups_allow": ["a"],
    "groups_deny": ["b"],
    "start": 1_700_000_000_000,
    "gap_policy": "stop",
    "connectors": {
        "source": {"consumer.isolation.level": "read_committed", "sync.topic.acls.enabled": "false"},
        "checkpoint": {"sync.group.offsets.enabled": "true"},
        "heartbeat": {},
    },
}


@pytest.mark.django_db(databases=["default", "metrics"], transaction=True)
def test_clusters_and_flows_of_an_earlier_release_follow_from_the_tree_unchanged() -> None:
    old = MigrationExecutor(connection).migrate(_BEFORE).apps
    clusters, flows = old.get_model("clusters", "Cluster").objects, old.get_model("flows", "Flow").objects
    east = clusters.create(alias="us.east", bootstrap=["h:1"], client={"client.rack": "a"})
    west = clusters.create(
        alias="west", bootstrap=["h:2", "h:3"], secrets=encrypt({"ssl.key.password": "hidden-value"})
    )
    clusters.create(alias="spare", bootstrap=["h:4"])
    flows.create(source=east, target=west, state="pause", pause_reason="kept", **_COLUMNS)

    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())

    cells = stored_cells()
    derived = derived_from(cells, current_tree().dialect)
    (flow,) = derived.flows
    known = {cluster.alias: cluster for cluster in derived.clusters}
    assert (current_version(), derived.errors) == (1, ())
    assert derived_columns(flow) == _COLUMNS
    assert known["us.east"].client == {"client.rack": "a"}
    assert known["west"].secrets == {"ssl.key.password": "hidden-value"}
    assert known["west"].bootstrap == ("h:2", "h:3")
    assert "hidden-value" not in repr(cells) + repr(current_tree())
    with transaction.atomic():
        assert flows_write({(flow.source, flow.target): flow}, {}) == ()
    assert Flow.objects.get().pause_reason == "kept"
