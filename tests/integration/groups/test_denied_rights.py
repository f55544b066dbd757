"""Rights on groups that a flow's principal lacks on a real target with an authorizer."""

import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest
from confluent_kafka.admin import AclBinding, AclOperation, AclPermissionType, ResourcePatternType, ResourceType

from replication.domain.groups.group_summary import GroupSummary
from replication.domain.plan.plan_document import PlanGroups
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.machine.ports import free_port
from tests.integration.control.test_odd_clusters import guarded_listener, sasl_client
from tests.integration.groups.outcome_lab import OutcomeLab, committed, set_offset
from tests.support.engine.slots import SlotLab
from tests.support.eventually import eventually
from tests.support.kafka.clusters import TwoClusters
from tests.support.kafka.kafka_records import admin

pytestmark = pytest.mark.kafka

ARRIVES_S = 30.0
ALL = "*"


@pytest.fixture
def outcome(dev_clusters: DevClusters, two_clusters: TwoClusters) -> Iterator[OutcomeLab]:
    """100 records are copied; the flow's principal on the target has all rights except those on groups."""
    port = free_port(set())
    (node,) = dev_clusters.prepare("guarded-groups").nodes
    extra = {
        **guarded_listener(node, port),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    target = dev_clusters.up(["guarded-groups"], extra=extra)["guarded-groups"]
    slots = SlotLab(TwoClusters(source=two_clusters.source, target=target))
    name = uuid.uuid4().hex[:6]
    made = OutcomeLab(slots=slots, topic=f"denied-{name}", group=f"allowed-{name}")
    made.fill(100)
    made.copy()
    for kind in (ResourceType.TOPIC, ResourceType.TRANSACTIONAL_ID):
        allow(target.bootstrap, kind, ALL, AclOperation.ALL)
    slots.target = replace(sasl_client(f"127.0.0.1:{port}", "right"), alias=slots.target.alias)
    yield made
    made.close()
    slots.close()
    dev_clusters.stop(["guarded-groups"])


def allow(bootstrap: str, kind: ResourceType, name: str, operation: AclOperation) -> None:
    binding = AclBinding(kind, name, ResourcePatternType.LITERAL, "User:srm", "*", operation, AclPermissionType.ALLOW)
    for future in admin(bootstrap).create_acls([binding]).values():
        future.result(10)


def test_a_denied_group_right_is_named_and_hides_no_other_group(outcome: OutcomeLab) -> None:
    bootstrap, work = outcome.slots.target_bootstrap, outcome.work
    names = [outcome.group, f"seen-{outcome.group}", f"hidden-{outcome.group}"]
    allowed, seen, hidden = names
    allow(bootstrap, ResourceType.GROUP, allowed, AclOperation.READ)
    allow(bootstrap, ResourceType.GROUP, seen, AclOperation.DESCRIBE)
    for name in names:
        set_offset(outcome.slots.source_bootstrap, name, outcome.topic, 40)
    work.groups = PlanGroups(slots=(tuple(names),), most_slots=1)

    def rounds_until(name: str) -> dict[str, GroupSummary]:
        found: dict[str, GroupSummary] = {}

        def is_set() -> bool:
            found.update({each.group: each for each in work.round()})
            return found[name].synced in ("written", "level")

        eventually(is_set, ARRIVES_S, f"the right on {name} arrived")
        return found

    before = rounds_until(allowed)
    allow(bootstrap, ResourceType.GROUP, seen, AclOperation.READ)
    after = rounds_until(seen)

    assert before[allowed].readiness == "ready"
    for name in (seen, hidden):
        (cause,) = before[name].causes
        assert (before[name].synced, before[name].readiness) == ("refused", "blocked")
        assert cause.code == "missing_rights"
        assert f"on group {name}" in cause.remedy
    assert (after[seen].readiness, after[hidden].readiness) == ("ready", "blocked")
    assert {(each.group, each.downstream_offset) for each in outcome.checkpoints()} == {(name, 37) for name in names}
    assert [committed(bootstrap, name, outcome.remote) for name in names] == [37, 37, None]
