"""Each rule for ACLs on real brokers: a source with an authorizer, a target with one, and a target without."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from replication.connectors.plan.source_connector import SourceConnector
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from replication.domain.plan.acl import AclEntry, Permission, TopicAcl
from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.ports.admin import ClusterAdmin, NewTopic
from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.support.eventually import eventually
from tests.support.kafka.clusters import TwoClusters

pytestmark = pytest.mark.kafka

AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A broker with an authorizer, and one flow's source and target on it or beside it."""

    bootstrap: str
    mark: str
    admin: ClusterAdmin

    def create(self, name: str) -> str:
        assert self.admin.create_topics([NewTopic(name=name, partitions=1, replication_factor=1)]) == ()
        return name

    def allow(self, entries: Sequence[TopicAcl]) -> None:
        """Create the entries; a broker tells of them a moment after it took them."""
        self.admin.create_acls(entries)
        eventually(lambda: set(entries) <= set(self.admin.topic_acls()), 30, "the broker tells of the entries")

    def connector(self, target: ClusterAdmin, bootstrap: str, **settings: str) -> SourceConnector:
        """Of the topics that begin with the mark; the flow's ledger is on the target."""
        dotted = {key.replace("_", "."): value for key, value in settings.items()}
        source = {
            "heartbeats.replication.enabled": "false",
            "offset-syncs.topic.location": "target",
            "replication.factor": "1",
            "sync.topic.acls.interval.seconds": "1",
        }
        flow = DesiredFlow(
            source=self.mark,
            topics=NamePatterns(allow=(f"{self.mark}-.*",)),
            connectors=ConnectorSettings(source=source | dotted),
        )
        client = ClusterClient(alias="west", bootstrap=(bootstrap,))
        ledger = AppliedLedger(
            f"srm-applied.{self.mark}.internal",
            open_log=lambda: KafkaRecordLog(client),
            open_producer=lambda: ConfluentRecordProducer(client),
        )
        return SourceConnector(flow, "west", self.admin, target, ledger=ledger)

    def to_itself(self, **settings: str) -> SourceConnector:
        """A flow whose target is the guarded broker, too."""
        return self.connector(self.admin, self.bootstrap, **settings)

    def on(self, topic: str) -> set[TopicAcl]:
        return {each for each in self.admin.topic_acls() if each.topic == topic}


@pytest.fixture(scope="module")
def broker(dev_clusters: DevClusters) -> Iterator[str]:
    yield dev_clusters.up(["acl-rules"], extra=AUTHORIZER)["acl-rules"].bootstrap
    dev_clusters.stop(["acl-rules"])


@pytest.fixture
def guarded(broker: str) -> Iterator[Guarded]:
    admin = open_admin(ClusterClient(alias="here", bootstrap=(broker,)))
    yield Guarded(bootstrap=broker, mark=f"a{uuid.uuid4().hex[:6]}", admin=admin)
    admin.close()


def acl(topic: str, operation: str, permission: Permission = "allow", principal: str = "User:ann") -> TopicAcl:
    entry = AclEntry(principal=principal, host="*", operation=operation, permission=permission)
    return TopicAcl(topic=topic, entry=entry)


def test_all_becomes_read_writing_stays_behind_and_denials_are_kept(guarded: Guarded) -> None:
    topic = guarded.create(f"{guarded.mark}-orders")
    guarded.allow(
        [
            acl(topic, "all", principal="User:boss"),
            acl(topic, "describe"),
            acl(topic, "write"),
            acl(topic, "write", "deny"),
            acl(topic, "alter_configs"),
        ]
    )

    guarded.to_itself().run_once(None, 0)

    remote = f"{guarded.mark}.{topic}"
    assert guarded.on(remote) == {
        acl(remote, "read", principal="User:boss"),
        acl(remote, "describe"),
        acl(remote, "write", "deny"),
        acl(remote, "alter_configs"),
    }


def test_prefixed_ones_those_of_all_topics_and_of_topics_not_copied_stay_behind(guarded: Guarded) -> None:
    topic, other = guarded.create(f"{guarded.mark}-orders"), guarded.create(f"not-{guarded.mark}")
    entry = acl(topic, "read", principal=f"User:{guarded.mark}").entry
    everybody, prefixed = TopicAcl(topic="*", entry=entry), TopicAcl(topic=topic, entry=entry, pattern="prefixed")
    guarded.allow([everybody, prefixed, TopicAcl(topic=other, entry=entry)])
    before = set(guarded.admin.topic_acls())

    guarded.to_itself().run_once(None, 0)

    assert set(guarded.admin.topic_acls()) == before
    guarded.admin.delete_acls([everybody])


def test_an_acl_that_goes_at_the_source_stays_and_a_new_one_follows_at_the_next_round(guarded: Guarded) -> None:
    topic = guarded.create(f"{guarded.mark}-orders")
    guarded.allow([acl(topic, "read")])
    connector, remote = guarded.to_itself(), f"{guarded.mark}.{topic}"
    plan = connector.run_once(None, 0)
    guarded.admin.delete_acls([acl(topic, "read")])
    guarded.allow([acl(topic, "describe")])

    plan = connector.run_once(plan, 500)
    assert guarded.on(remote) == {acl(remote, "read")}

    connector.run_once(plan, 2_000)
    assert guarded.on(remote) == {acl(remote, "read"), acl(remote, "describe")}


def test_nothing_is_carried_over_where_it_is_switched_off(guarded: Guarded) -> None:
    topic = guarded.create(f"{guarded.mark}-orders")
    guarded.allow([acl(topic, "read")])

    guarded.to_itself(sync_topic_acls_enabled="false").run_once(None, 0)

    assert guarded.on(f"{guarded.mark}.{topic}") == set()


def test_a_target_without_authorizer_is_told_once_per_plan_and_its_topics_are_copied(
    guarded: Guarded, two_clusters: TwoClusters
) -> None:
    topic = guarded.create(f"{guarded.mark}-orders")
    guarded.allow([acl(topic, "read")])
    bootstrap = two_clusters.target.bootstrap
    target = open_admin(ClusterClient(alias="west", bootstrap=(bootstrap,)))

    plan = guarded.connector(target, bootstrap).run_once(None, 0)
    target.close()

    assert [planned.upstream for planned in plan.topics] == [topic]
    assert [warning.code for warning in plan.warnings] == ["acls_not_synced"]
    assert "has no authorizer" in plan.warnings[0].text


def test_a_source_without_authorizer_has_no_acls_and_nothing_is_said(
    guarded: Guarded, two_clusters: TwoClusters
) -> None:
    open_source = open_admin(ClusterClient(alias="open", bootstrap=(two_clusters.source.bootstrap,)))
    topic = NewTopic(name=f"{guarded.mark}-orders", partitions=1, replication_factor=1)
    assert open_source.create_topics([topic]) == ()
    flow = Guarded(bootstrap=two_clusters.source.bootstrap, mark=guarded.mark, admin=open_source)

    plan = flow.connector(guarded.admin, guarded.bootstrap).run_once(None, 0)
    open_source.close()

    assert [planned.upstream for planned in plan.topics] == [f"{guarded.mark}-orders"]
    assert plan.warnings == ()
