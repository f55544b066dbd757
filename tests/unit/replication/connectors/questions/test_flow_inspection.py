"""A look at what a draft changes in a flow, over two clusters in memory."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from replication.connectors.questions.flow_inspection import FlowInspection
from replication.connectors.questions.flow_request import FlowRequest
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.errors import AuthorizationError
from replication.domain.identifiers import FlowId, TopicPartition
from replication.domain.plan.acl import AclEntry, TopicAcl
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.questions.flow_changes import AclEdit, CreatedTopic, FlowChanges, RemoteConfigEdit, TakenName
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from tests.support.engine.planning import connect
from tests.support.groups.memory_ports import memory_group_admins

IDENTITY = PolicyChoice(kind="identity")


class Sizes:
    """Ten bytes per partition."""

    def __init__(self) -> None:
        self.is_closed = False

    def bytes_of(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        return dict.fromkeys(partitions, 10)

    def close(self) -> None:
        self.is_closed = True


class NoSizes(Sizes):
    def bytes_of(self, partitions: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        raise AuthorizationError("grant DESCRIBE on the cluster")


@dataclass(slots=True)
class Bench:
    """Two clusters, and looks at a flow between them."""

    east: MemoryCluster = field(default_factory=lambda: MemoryCluster("east"))
    west: MemoryCluster = field(default_factory=lambda: MemoryCluster("west"))
    sizes: Sizes = field(default_factory=Sizes)

    def planned(self, flow: DesiredFlow) -> PlanDocument:
        return connect(self.east, self.west, flow).run_once(None, 0)

    def inspect(
        self, flow: DesiredFlow, plan: PlanDocument | None = None, *, others: tuple[PlanDocument, ...] = ()
    ) -> FlowChanges:
        request = FlowRequest(
            id=FlowId("east", "west"),
            flow=flow,
            plan=plan,
            is_copied=plan is not None,
            source=MemoryAdmin(self.east),
            target=MemoryAdmin(self.west),
            others=others,
            open_sizes=lambda: self.sizes,
            open_group_admins=lambda: memory_group_admins(self.east, self.west),
        )
        return FlowInspection(request).run()


def _flow(*allow: str, policy: PolicyChoice | None = None, **settings: str) -> DesiredFlow:
    dotted = {key.replace("_", "."): value for key, value in settings.items()}
    return DesiredFlow(
        source="east",
        topics=NamePatterns(allow=allow),
        policy=policy or PolicyChoice(),
        connectors=ConnectorSettings(source=dotted),
    )


def test_a_new_flow_names_the_topics_it_creates_and_what_there_is_to_copy() -> None:
    bench = Bench()
    bench.east.create("orders", partitions=2)

    change = bench.inspect(_flow("orders"))

    assert change.topics_added == ("orders",)
    assert change.topics_created is not None
    assert change.topics_created[0] == CreatedTopic(name="east.orders", partitions=2, upstream="orders")
    assert {topic.name for topic in change.topics_created} >= {"mm2-offsets.east.internal", "heartbeats"}
    assert change.estimate is not None
    assert (change.estimate.partitions, change.estimate.records, change.estimate.bytes) == (2, 0, 0)
    assert change.unlooked == ()
    assert bench.sizes.is_closed


def test_nothing_is_created() -> None:
    bench = Bench()
    bench.east.create("orders")

    bench.inspect(_flow("orders"))

    assert bench.west.topics == {}
    assert set(bench.east.topics) == {"orders"}


def test_a_narrower_filter_names_the_topics_that_are_copied_no_longer() -> None:
    bench = Bench()
    for name in ("orders", "bills"):
        bench.east.create(name)
    plan = bench.planned(_flow("orders", "bills"))

    change = bench.inspect(_flow("orders"), plan)

    assert change.topics_removed == ("bills",)
    assert change.topics_added == ()
    assert change.topics_created == ()


def test_an_unchanged_flow_changes_nothing() -> None:
    bench = Bench()
    bench.east.create("orders")
    plan = bench.planned(_flow("orders"))

    change = bench.inspect(_flow("orders"), plan)

    lists = (change.topics_created, change.topics_added, change.topics_removed, change.names_taken, change.configs)
    assert lists == ((), (), (), (), ())
    assert change.topics_widened == ()


def test_another_policy_renames_and_names_those_that_are_taken() -> None:
    bench = Bench()
    bench.east.create("orders")
    plan = bench.planned(_flow("orders"))
    bench.west.create("orders")

    change = bench.inspect(_flow("orders", policy=IDENTITY), plan)

    assert change.topics_renamed is not None
    assert [(each.before, each.after) for each in change.topics_renamed] == [("east.orders", "orders")]
    assert change.names_taken == (TakenName(upstream="orders", remote="orders", taken_by=None),)
    assert change.estimate is not None
    assert change.estimate.partitions == 0  # the positions are kept


def test_a_name_that_another_flow_writes_is_taken_by_it() -> None:
    bench = Bench()
    north = MemoryCluster("north")
    bench.east.create("orders")
    north.create("orders")
    other = connect(north, bench.west, DesiredFlow(source="north", topics=NamePatterns(allow=(".*",)), policy=IDENTITY))
    plan = other.run_once(None, 0)
    north_plan = PlanDocument(
        **{name: getattr(plan, name) for name in PlanDocument.__slots__} | {"source": "north", "target": "west"}
    )

    change = bench.inspect(_flow("orders", policy=IDENTITY), others=(north_plan,))

    assert change.names_taken == (TakenName(upstream="orders", remote="orders", taken_by="north->west"),)


def test_configs_that_the_flow_would_set_are_named_with_both_values() -> None:
    bench = Bench()
    bench.east.create("orders", configs={"retention.ms": "1000"})
    plan = bench.planned(_flow("orders"))
    bench.west.topics["east.orders"].configs["retention.ms"] = "5"

    change = bench.inspect(_flow("orders"), plan)

    assert change.configs == (RemoteConfigEdit(topic="east.orders", key="retention.ms", before="5", after="1000"),)
    assert bench.west.topics["east.orders"].configs["retention.ms"] == "5"


def test_acls_that_the_flow_would_create_are_named() -> None:
    bench = Bench()
    bench.east.create("orders")
    entry = AclEntry(principal="User:app", host="*", operation="read", permission="allow")
    bench.east.acls, bench.west.acls = {TopicAcl(topic="orders", entry=entry)}, set()

    change = bench.inspect(_flow("orders"))

    assert change.acls == (
        AclEdit(
            topic="east.orders",
            principal="User:app",
            host="*",
            operation="read",
            permission="allow",
            is_deleted=False,
        ),
    )
    assert bench.west.acls == set()


def test_a_missing_right_comes_with_the_command_that_grants_it() -> None:
    bench = Bench()
    bench.east.create("orders")
    bench.west.cluster_operations = frozenset(["describe"])

    change = bench.inspect(_flow("orders"))

    (finding,) = [each for each in change.findings if each.code == "rights_missing"]
    assert (finding.severity, finding.topic) == ("error", "orders")
    assert "kafka-acls" in finding.remedy
    assert "Create" in finding.remedy
    assert change.topics_added == ()
    assert "east.orders" not in {topic.name for topic in change.topics_created or ()}


def test_an_unreadable_topic_is_an_error_with_a_remedy_and_is_not_created() -> None:
    bench = Bench()
    bench.east.create("orders")
    bench.east.topic_operations["orders"] = frozenset(["describe"])

    change = bench.inspect(_flow("orders"))

    assert [each.code for each in change.findings if each.severity == "error"] == ["rights_missing"]
    assert change.topics_added == ()


def test_a_loop_is_named_before_anything_is_applied() -> None:
    bench = Bench()
    bench.east.create("orders")
    bench.east.create("mm2-offsets.west.internal", configs={"cleanup.policy": "compact"})

    change = bench.inspect(_flow("orders", policy=IDENTITY, srm_loop_protection="off"))

    assert "identity_loop" in [each.code for each in change.findings]


def test_a_dead_source_is_named_and_nothing_else_is_claimed() -> None:
    bench = Bench()
    bench.east.is_up = False

    change = bench.inspect(_flow("orders"))

    assert [each.part for each in change.unlooked] == ["flow"]
    assert "cluster east" in change.unlooked[0].reason
    assert change.topics_created is None
    assert change.estimate is None


def test_acls_that_may_not_be_listed_do_not_hide_the_other_parts() -> None:
    bench = Bench()
    bench.east.create("orders")
    bench.east.cluster_operations = frozenset()

    change = bench.inspect(_flow("orders"))

    assert [each.part for each in change.unlooked] == ["acls"]
    assert change.acls is None
    assert change.topics_added == ("orders",)


def test_sizes_that_may_not_be_read_leave_the_records() -> None:
    bench = Bench(sizes=NoSizes())
    bench.east.create("orders")

    change = bench.inspect(_flow("orders"))

    assert change.estimate is not None
    assert change.estimate.bytes is None
    assert [(each.part, each.reason) for each in change.unlooked] == [("estimate", "grant DESCRIBE on the cluster")]
    assert bench.sizes.is_closed


def test_an_invalid_setting_is_a_finding() -> None:
    change = Bench().inspect(_flow("orders", sync_topic_configs_enabled="perhaps"))

    assert change.findings[0].severity == "error"
    assert "sync.topic.configs.enabled" in change.findings[0].text
    assert [each.part for each in change.unlooked] == ["flow"]


def test_a_flow_that_ran_before_is_told_by_its_positions() -> None:
    bench = Bench()
    bench.east.create("orders")
    bench.planned(_flow("orders"))

    change = bench.inspect(_flow("orders"))

    assert change.names_taken == ()
    assert change.estimate is not None
    assert change.estimate.is_upper_bound


def test_missing_rights_on_groups_are_found_before_the_flow_runs() -> None:
    bench = Bench()
    bench.east.create("orders")
    bench.east.group("app").operations = frozenset()
    flow = replace(_flow("orders"), groups=NamePatterns(allow=("app",)))

    change = bench.inspect(flow)

    (found,) = [each for each in change.findings if each.code == "group_rights_missing"]
    assert found.severity == "warning"
    assert "DESCRIBE on group app" in found.text
    assert change.unlooked == ()
