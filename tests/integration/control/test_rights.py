"""Planning on a broker with an authorizer: ACLs carried over, missing rights named, and life without some of them.

One broker is both source and target, so flows allow exactly the topics of their test. The plain listener is a super
user's; `srm` comes through the guarded one with the rights the test gives it.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from replication.connectors.plan.source_connector import SourceConnector
from replication.connectors.preflight import preflight
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.errors import AuthorizationError
from replication.domain.groups.consumer_group import Commit, GroupProblem
from replication.domain.identifiers import TopicPartition
from replication.domain.names.internal_topics import PRODUCERS_TOPIC
from replication.domain.plan.acl import AclEntry, Permission, TopicAcl
from replication.domain.plan.rights import INTERNAL_TOPIC_OPERATIONS, REMOTE_TOPIC_OPERATIONS, SOURCE_TOPIC_OPERATIONS
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.ports.admin import ClusterAdmin, NewTopic
from replication.ports.groups.group_admin import GroupAdmin
from replication.wire.groups.group_admin import WireGroupAdmin
from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.machine.ports import free_port
from tests.integration.control.test_odd_clusters import guarded_listener, sasl_client
from tests.support.eventually import eventually

pytestmark = pytest.mark.kafka

INTERNAL = ("mm2-offsets", "srm-offset-runs", "srm-gaps", "srm-metrics")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """The broker as its owner and as `srm` sees it."""

    owner: ClusterAdmin
    srm: ClusterAdmin
    client: AdminClient
    owner_groups: GroupAdmin
    srm_groups: GroupAdmin

    def allow(self, kind: ResourceType, name: str, *operations: str, prefixed: bool = False) -> None:
        """Grant rights, and wait until the broker heard of them from its controller."""
        pattern = ResourcePatternType.PREFIXED if prefixed else ResourcePatternType.LITERAL
        for operation in operations:
            word = AclOperation[operation.upper()]
            binding = AclBinding(kind, name, pattern, "User:srm", "*", word, AclPermissionType.ALLOW)
            for future in self.client.create_acls([binding]).values():
                future.result(timeout=10)
            eventually(partial(self._has, binding), 10, f"{binding} is there")

    def _has(self, binding: AclBinding) -> bool:
        place = (binding.restype, binding.name, binding.resource_pattern_type, binding.principal, binding.host)
        wanted = AclBindingFilter(*place, binding.operation, binding.permission_type)
        return binding in self.client.describe_acls(wanted).result(10)

    def create(self, name: str, **configs: str) -> None:
        topic = NewTopic(name=name, partitions=1, replication_factor=1, configs=configs)
        assert self.owner.create_topics([topic]) == ()


@pytest.fixture(scope="module")
def guarded(dev_clusters: DevClusters) -> Iterator[Guarded]:
    port = free_port(set())
    (node,) = dev_clusters.prepare("authorized").nodes
    extra = {
        **guarded_listener(node, port),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    bootstrap = dev_clusters.up(["authorized"], extra=extra)["authorized"].bootstrap
    owner, srm = ClusterClient(alias="here", bootstrap=(bootstrap,)), sasl_client(f"127.0.0.1:{port}", "right")
    made = Guarded(
        owner=open_admin(owner),
        srm=open_admin(srm),
        client=AdminClient({"bootstrap.servers": bootstrap}),
        owner_groups=WireGroupAdmin(owner),
        srm_groups=WireGroupAdmin(srm),
    )
    yield made
    made.owner_groups.close()
    made.srm_groups.close()
    dev_clusters.stop(["authorized"])


@pytest.fixture
def name() -> str:
    return f"r{uuid.uuid4().hex[:6]}"


def flow(source: str, *topics: str, **settings: str) -> DesiredFlow:
    dotted = {key.replace("_", "."): value for key, value in settings.items()}
    return DesiredFlow(
        source=source,
        topics=NamePatterns(allow=topics),
        connectors=ConnectorSettings(
            source={"heartbeats.replication.enabled": "false", "offset-syncs.topic.location": "target", **dotted}
        ),
    )


def acl(topic: str, operation: str, permission: Permission = "allow") -> TopicAcl:
    entry = AclEntry(principal="User:ann", host="*", operation=operation, permission=permission)
    return TopicAcl(topic=topic, entry=entry)


def acls_of(admin: ClusterAdmin, topic: str) -> set[TopicAcl]:
    return {each for each in admin.topic_acls() if each.topic == topic}


@pytest.mark.parametrize("kind", ["memory", "kafka"])
def test_acls_are_listed_created_and_deleted_one_by_one(kind: str, request: pytest.FixtureRequest, name: str) -> None:
    cluster = MemoryCluster("here")
    cluster.acls = set()
    admin = MemoryAdmin(cluster) if kind == "memory" else request.getfixturevalue("guarded").owner
    prefixed = TopicAcl(topic=name, entry=acl(name, "read").entry, pattern="prefixed")
    wanted = {acl(name, "read"), acl(name, "describe_configs"), acl(name, "all", "deny"), prefixed}

    assert admin.create_acls(wanted) == ()
    assert admin.create_acls(wanted) == ()
    assert acls_of(admin, name) == wanted

    assert admin.delete_acls({acl(name, "read"), acl(name, "write")}) == ()
    assert acls_of(admin, name) == wanted - {acl(name, "read")}


def test_reading_acls_follow_their_topic_to_the_remote_one(guarded: Guarded, name: str) -> None:
    guarded.create(name)
    guarded.owner.create_acls([acl(name, "read"), acl(name, "write"), acl(name, "all", "deny")])
    connector = SourceConnector(
        flow(name, name, sync_topic_acls_interval_seconds="1", srm_acl_prune="true"),
        "west",
        guarded.owner,
        guarded.owner,
    )

    plan = connector.run_once(None, 0)
    assert acls_of(guarded.owner, f"{name}.{name}") == {
        acl(f"{name}.{name}", "read"),
        acl(f"{name}.{name}", "all", "deny"),
    }

    guarded.owner.delete_acls([acl(name, "read")])
    connector.run_once(plan, 2_000)
    assert acls_of(guarded.owner, f"{name}.{name}") == {acl(f"{name}.{name}", "all", "deny")}


def test_missing_rights_are_named_and_once_granted_the_flow_is_ready(guarded: Guarded, name: str) -> None:
    guarded.create(name)
    guarded.create(f"{name}.{name}")
    guarded.allow(ResourceType.GROUP, name, "describe", prefixed=True)
    guarded.allow(ResourceType.TOPIC, name, "describe", prefixed=True)

    found = preflight(flow(name, name), "west", guarded.srm, guarded.srm)

    told = {finding.topic: finding for finding in found if finding.code == "rights_missing"}
    assert [finding.severity for finding in found] == ["error", "error"]
    assert any(f"User:srm lacks DESCRIBE_CONFIGS on topic {name}, READ on topic {name}" in each.text for each in found)
    assert any("WRITE on topic" in each.text for each in found)
    assert "kafka-acls --bootstrap-server" in told[name].remedy

    guarded.allow(ResourceType.TOPIC, name, *SOURCE_TOPIC_OPERATIONS)
    guarded.allow(ResourceType.TOPIC, f"{name}.{name}", *REMOTE_TOPIC_OPERATIONS)
    assert preflight(flow(name, name), "west", guarded.srm, guarded.srm) == ()


def test_a_group_without_rights_is_refused_and_its_neighbour_is_answered(guarded: Guarded, name: str) -> None:
    guarded.create(name)
    group, neighbour, at = name, f"{name}-neighbour", TopicPartition(name, 0)
    guarded.owner_groups.alter({each: {at: Commit(0, "m")} for each in (group, neighbour)})
    guarded.allow(ResourceType.GROUP, neighbour, "describe")
    guarded.allow(ResourceType.TOPIC, name, "describe")

    found = guarded.srm_groups.commits([group, neighbour])

    refused = found[group]
    assert isinstance(refused, GroupProblem)
    assert refused.code == "GROUP_AUTHORIZATION_FAILED"
    assert f"grant DESCRIBE on group {group}" in refused.text
    assert found[neighbour] == {at: Commit(0, "m")}
    assert guarded.srm_groups.group_operations([group, neighbour]) == {group: frozenset(), neighbour: {"describe"}}
    assert isinstance(guarded.srm_groups.describe([group])[group], GroupProblem)
    assert {group, neighbour} & set(guarded.srm_groups.list_groups()) == {neighbour}


def test_a_commit_needs_read_on_the_group_and_on_the_topic(guarded: Guarded, name: str) -> None:
    guarded.create(name)
    wanted = {name: {TopicPartition(name, 0): Commit(0)}}

    def refusal() -> str | None:
        problem = guarded.srm_groups.alter(wanted)[name][TopicPartition(name, 0)]
        return None if problem is None else f"{problem.code}: {problem.text}"

    guarded.allow(ResourceType.GROUP, name, "describe")
    assert "GROUP_AUTHORIZATION_FAILED" in (refusal() or "")
    assert f"grant READ on group {name}" in (refusal() or "")
    guarded.allow(ResourceType.GROUP, name, "read")
    assert "TOPIC_AUTHORIZATION_FAILED" in (refusal() or "")
    guarded.allow(ResourceType.TOPIC, name, "read")
    assert refusal() is None


def test_missing_rights_on_groups_are_named_and_once_granted_there_are_none(guarded: Guarded, name: str) -> None:
    guarded.create(name)
    guarded.create(f"{name}.{name}")
    guarded.owner_groups.alter({name: {TopicPartition(name, 0): Commit(0)}})
    guarded.allow(ResourceType.TOPIC, name, *SOURCE_TOPIC_OPERATIONS)
    guarded.allow(ResourceType.TOPIC, f"{name}.{name}", *REMOTE_TOPIC_OPERATIONS)
    guarded.allow(ResourceType.GROUP, f"{name}-mm2", "describe")
    wanted = replace(
        flow(name, name),
        groups=NamePatterns(allow=(name,)),
        connectors=replace(flow(name, name).connectors, checkpoint={"sync.group.offsets.enabled": "true"}),
    )

    def named() -> str:
        admins = guarded.srm_groups, guarded.srm_groups
        found = preflight(wanted, "west", guarded.srm, guarded.srm, admins)
        assert {each.severity for each in found} <= {"warning"}
        return "\n".join(str(each) for each in found)

    assert f"DESCRIBE on group {name}" in named()
    assert f"READ on topic {name}.{name}" in named()
    assert f"CREATE on topic {name}.checkpoints.internal" in named()
    guarded.allow(ResourceType.GROUP, name, "describe")
    assert f"READ on group {name}" in named()
    guarded.allow(ResourceType.GROUP, name, "read")
    guarded.allow(ResourceType.TOPIC, f"{name}.{name}", "read")
    guarded.allow(ResourceType.TOPIC, f"{name}.checkpoints.internal", "create", *INTERNAL_TOPIC_OPERATIONS)
    assert named() == ""


def test_without_the_right_to_create_topics_those_that_are_there_are_used(guarded: Guarded, name: str) -> None:
    made, unmade = f"{name}-made", f"{name}-unmade"
    guarded.create(made)
    guarded.create(unmade)
    guarded.allow(ResourceType.TOPIC, name, *SOURCE_TOPIC_OPERATIONS, prefixed=True)
    guarded.allow(ResourceType.TOPIC, f"{name}.", *REMOTE_TOPIC_OPERATIONS, prefixed=True)
    guarded.allow(ResourceType.GROUP, name, "describe", prefixed=True)
    for internal in (*INTERNAL, "mm2-offset-syncs"):
        guarded.allow(ResourceType.TOPIC, f"{internal}.{name}.internal", *INTERNAL_TOPIC_OPERATIONS)
    for shared in ("heartbeats", PRODUCERS_TOPIC):
        guarded.allow(ResourceType.TOPIC, shared, *INTERNAL_TOPIC_OPERATIONS)
    with pytest.raises(AuthorizationError, match=rf"--operation Create .*mm2-offsets\.{name}\.internal"):
        SourceConnector(flow(name, f"{name}-.*"), "west", guarded.srm, guarded.srm).run_once(None, 0)
    owner = SourceConnector(flow(name), "west", guarded.owner, guarded.owner)
    owner.run_once(None, 0)  # the owner makes the flow's own topics
    guarded.create(f"{name}.{made}")

    plan = SourceConnector(flow(name, f"{name}-.*"), "west", guarded.srm, guarded.srm).run_once(None, 0)

    assert [topic.upstream for topic in plan.topics] == [made]
    assert [skipped.topic for skipped in plan.skipped] == [unmade]
    assert "create the topic, or grant the rights" in plan.skipped[0].reason
    codes = {warning.code for warning in plan.warnings}
    assert codes >= {"acls_not_synced", "internal_topic_refused"}
    assert any("--operation Describe --cluster" in warning.text for warning in plan.warnings)
