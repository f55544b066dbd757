"""Questions about a flow between real brokers: nothing is created, and what is said comes true."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from replication.connectors.plan.source_connector import SourceConnector
from replication.domain.desired.desired_document import DesiredCluster, DesiredDocument, DesiredFlow, NamePatterns
from replication.domain.identifiers import TopicPartition
from replication.domain.plan.slot import ClusterClient
from replication.domain.plan.topic_config import ConfigChange
from replication.domain.questions.config_drift import ConfigDrift, SetAgain
from replication.domain.questions.flow_changes import FlowChanges
from replication.domain.questions.question import Question
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.ports.admin import ClusterAdmin, NewTopic
from replication.wire.inquiries.log_sizes import WireLogSizes
from replication.worker.questions.flow_answers import Inquiry, Present, flow_answer
from replication.worker.state.desired_cache import AppliedDesired
from replication.worker.wiring import KafkaClients, connected_flow_ports
from tests.support.kafka.clusters import TwoClusters

pytestmark = pytest.mark.kafka
RECORDS = 40


class Asked:
    """A flow with an alias of the test, and questions about it."""

    def __init__(self, pair: TwoClusters) -> None:
        self.mark = f"q{uuid.uuid4().hex[:8]}"
        self.topic = f"{self.mark}-orders"
        self.source = ClusterClient(alias=self.mark, bootstrap=(pair.source.bootstrap,))
        self.target = ClusterClient(alias="west", bootstrap=(pair.target.bootstrap,))
        self.source_admin: ClusterAdmin = open_admin(self.source)
        self.target_admin: ClusterAdmin = open_admin(self.target)
        self.flow = DesiredFlow(
            source=self.mark, topics=NamePatterns(allow=(f"{self.mark}-.*",)), heartbeats=False, tasks_max=2
        )
        self.present = Present(applied=None, plans={})
        self.clients = KafkaClients()

    def fill(self) -> None:
        topic = NewTopic(name=self.topic, partitions=2, replication_factor=1, configs={"retention.ms": "86400000"})
        assert self.source_admin.create_topics([topic]) == ()
        producer = ConfluentRecordProducer(self.source)
        for number in range(RECORDS):
            producer.send(self.topic, key=b"%d" % number, value=b"v" * 100, partition=number % 2)
        producer.flush()
        producer.close()

    def runs(self) -> None:
        connector = SourceConnector(self.flow, "west", self.source_admin, self.target_admin)
        applied = AppliedDesired(document=self._document(self.flow), clients=self._clients, rejected=())
        self.present = Present(applied=applied, plans={self.mark: connector.run_once(None, 0)})

    def ask(self, flow: DesiredFlow, **question: object) -> object:
        values: dict[str, object] = {"kind": "change_plan", **question}
        asked = Question(
            id="1",
            target="west",
            sources=(self.mark,),
            document="",
            asked_ms=0,
            **values,  # type: ignore[arg-type]  # the test's words for the fields
        )
        inquiry = Inquiry(
            question=asked,
            document=self._document(flow),
            clients=self._clients,
            problems={},
            present=self.present,
            now_ms=0,
        )
        return flow_answer(inquiry, self.mark, partial(connected_flow_ports, self.clients))

    @property
    def _clients(self) -> dict[str, ClusterClient]:
        return {self.mark: self.source, "west": self.target}

    def _document(self, flow: DesiredFlow) -> DesiredDocument:
        clusters = {alias: DesiredCluster(bootstrap=client.bootstrap) for alias, client in self._clients.items()}
        return DesiredDocument(target="west", revision=1, published_ms=0, clusters=clusters, flows=(flow,))


@pytest.fixture
def asked(two_clusters: TwoClusters) -> Iterator[Asked]:
    found = Asked(two_clusters)
    found.fill()
    yield found
    found.source_admin.close()
    found.target_admin.close()
    found.clients.close()


def test_a_new_flow_is_estimated_and_creates_nothing_by_being_looked_at(asked: Asked) -> None:
    before = set(asked.target_admin.list_topics())

    change = asked.ask(asked.flow)

    assert isinstance(change, FlowChanges)
    assert change.unlooked == ()
    assert change.topics_added == (asked.topic,)
    assert change.estimate is not None
    assert (change.estimate.partitions, change.estimate.records) == (2, RECORDS)
    assert change.estimate.bytes is not None
    assert change.estimate.bytes > RECORDS * 100
    assert change.tasks is not None
    assert (change.tasks.before, change.tasks.after) == (0, 2)
    assert set(asked.target_admin.list_topics()) == before


def test_the_topics_that_a_plan_names_are_those_that_the_flow_creates(asked: Asked) -> None:
    change = asked.ask(asked.flow)
    before = set(asked.target_admin.list_topics())

    asked.runs()

    assert isinstance(change, FlowChanges)
    assert change.topics_created is not None
    created = set(asked.target_admin.list_topics()) - before
    assert {topic.name for topic in change.topics_created} == created


def test_another_number_of_tasks_restarts_no_slot_of_a_running_flow(asked: Asked) -> None:
    asked.runs()

    change = asked.ask(replace(asked.flow, tasks_max=1))

    assert isinstance(change, FlowChanges)
    assert change.tasks is not None
    assert (change.tasks.before, change.tasks.after, change.tasks.restarts) == (2, 1, ())
    assert change.tasks.moved_partitions > 0
    assert (change.topics_added, change.topics_removed, change.topics_created) == ((), (), ())


def test_drift_of_a_real_remote_topic_is_set_again(asked: Asked) -> None:
    asked.runs()
    remote = f"{asked.mark}.{asked.topic}"
    assert asked.target_admin.alter_topic_configs([ConfigChange(topic=remote, set={"retention.ms": "5000"})]) == ()

    drift = asked.ask(asked.flow, kind="drift")
    result = asked.ask(asked.flow, kind="set_again", topics=(asked.topic,))

    assert isinstance(drift, ConfigDrift)
    assert [(each.key, each.source_value, each.target_value) for each in drift.items if each.is_synced] == [
        ("retention.ms", "86400000", "5000")
    ]
    assert isinstance(result, SetAgain)
    assert [(each.state, each.keys) for each in result.items] == [("set", ("retention.ms",))]
    after = asked.ask(asked.flow, kind="drift")
    assert isinstance(after, ConfigDrift)
    assert not [each for each in after.items if each.is_synced]


def test_sizes_of_missing_topics_are_missing(asked: Asked) -> None:
    sizes = WireLogSizes(asked.source)

    found = sizes.bytes_of([TopicPartition(asked.topic, 0), TopicPartition(f"{asked.mark}-none", 0)])
    sizes.close()

    assert set(found) == {TopicPartition(asked.topic, 0)}
