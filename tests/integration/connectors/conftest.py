"""Two clusters of these tests alone: topics of any name, and brokers whose settings are changed while they run."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from replication.connectors.plan.source_connector import SourceConnector
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.plan.plan_document import PlanDocument
from replication.domain.plan.slot import ClusterClient
from replication.domain.plan.topic_config import ConfigValue
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.ports.admin import ClusterAdmin, NewTopic
from replication.worker.engine.data_engine import WireDataEngine, WireSlotHandle
from replication.worker.engine.slot_spec import build_slot_spec
from srm_cli.dev_clusters.lifecycle import DevClusters
from tests.support.eventually import eventually
from tests.support.kafka.clusters import TwoClusters

COPY_S = 60.0
STATIC_RETENTION_MS = "777600000"  # `log.retention.ms` in the file of the source's broker


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """One flow between the clusters. Its aliases and topics carry its mark, since the clusters are shared."""

    mark: str
    source_client: ClusterClient
    target_client: ClusterClient
    source: ClusterAdmin
    target: ClusterAdmin

    def create(self, name: str, *, partitions: int = 1, at: ClusterAdmin | None = None, **configs: str) -> str:
        """A topic, of the source unless another cluster is named; config names with underscores for dots."""
        dotted = {key.replace("_", "."): value for key, value in configs.items()}
        topic = NewTopic(name=name, partitions=partitions, replication_factor=1, configs=dotted)
        assert (at or self.source).create_topics([topic]) == ()
        return name

    def remote(self, name: str) -> str:
        return f"{self.source_client.alias}.{name}"

    def flow(
        self,
        *allow: str,
        deny: tuple[str, ...] = (),
        policy: PolicyChoice | None = None,
        tasks_max: int = 1,
        settings: Mapping[str, str] | None = None,
    ) -> DesiredFlow:
        """Of every topic with the mark, unless patterns are given; heartbeats stay out unless settings say so."""
        source = {"heartbeats.replication.enabled": "false", "replication.factor": "1", **(settings or {})}
        return DesiredFlow(
            source=self.source_client.alias,
            topics=NamePatterns(allow=allow or (f".*{self.mark}.*",), deny=deny),
            policy=policy or PolicyChoice(),
            tasks_max=tasks_max,
            connectors=ConnectorSettings(source=source),
        )

    def connector(self, *allow: str, **changes: Any) -> SourceConnector:
        """Plans `flow(*allow, **changes)`."""
        return self.connector_of(self.flow(*allow, **changes))

    def connector_of(self, flow: DesiredFlow) -> SourceConnector:
        ledger = AppliedLedger(
            f"srm-applied.{flow.source}.internal",
            open_log=lambda: KafkaRecordLog(self.target_client),
            open_producer=lambda: ConfluentRecordProducer(self.target_client),
        )
        return SourceConnector(flow, self.target_client.alias, self.source, self.target, ledger=ledger)

    def copy(self, flow: DesiredFlow, records: int) -> PlanDocument:
        """Plan the flow and run all its slots until that many records were copied and nothing is left."""
        plan = self.connector_of(flow).run_once(None, 0)
        engine = WireDataEngine(f"rows-{self.mark}", pool_bytes=32 * 1024 * 1024)
        engine.start()
        try:
            handles = [
                engine.start_slot(
                    build_slot_spec(flow, plan, slot, self.source_client, self.target_client), driver="lab", boot="boot"
                )
                for slot in range(len(plan.slots))
            ]
            eventually(lambda: _is_level(handles, records), COPY_S, f"{records} records are copied")
            for handle in handles:
                handle.stop()
                assert handle.wait(15), "the slot does not stop"
        finally:
            engine.stop(10)
        return plan

    def configs(self, topic: str) -> Mapping[str, ConfigValue]:
        """All config entries of a topic of the target."""
        return self.target.topic_configs([topic])[topic]

    def chosen(self, topic: str) -> dict[str, str | None]:
        """Return the configs that are set on a topic of the target, without those of its brokers."""
        return {name: config.value for name, config in self.configs(topic).items() if config.source == "topic"}


def _is_level(handles: Sequence[WireSlotHandle], records: int) -> bool:
    states = [handle.live() for handle in handles]
    total = sum(live.get("records_total", 0) for live in states)
    return total >= records and all(live.get("lag_offsets") == 0 for live in states)


def copied(plan: PlanDocument) -> dict[str, str]:
    """Upstream name -> remote name."""
    return {topic.upstream: topic.remote for topic in plan.topics}


@pytest.fixture(scope="session")
def own_pair(dev_clusters: DevClusters) -> TwoClusters:
    source = dev_clusters.up(["rows-source"], extra={"log.retention.ms": STATIC_RETENTION_MS})["rows-source"]
    return TwoClusters(source=source, target=dev_clusters.up(["rows-target"])["rows-target"])


@pytest.fixture
def planning(own_pair: TwoClusters) -> Iterator[Planning]:
    mark = uuid.uuid4().hex[:6]
    source = ClusterClient(alias=f"e{mark}", bootstrap=(own_pair.source.bootstrap,))
    target = ClusterClient(alias=f"w{mark}", bootstrap=(own_pair.target.bootstrap,))
    made = Planning(
        mark=mark, source_client=source, target_client=target, source=open_admin(source), target=open_admin(target)
    )
    yield made
    made.source.close()
    made.target.close()
