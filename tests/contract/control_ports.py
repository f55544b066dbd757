"""The two families of adapters behind the control plane's ports, for suites that run on both."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from replication.domain.plan.slot import ClusterClient
from replication.kafka.admin import open_admin
from replication.kafka.producer import ConfluentRecordProducer
from replication.kafka.record_log import KafkaRecordLog
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog
from replication.ports.admin import ClusterAdmin, NewTopic
from replication.ports.producer import RecordProducer
from replication.ports.record_log import RecordLog
from replication.wire.inquiries.chosen_configs import WireChosenConfigs
from replication.wire.network.loop import EngineLoop
from replication.wire.records.record_producer import WireRecordProducer
from replication.wire.records.record_sender import RecordSender

BOTH = [pytest.param("memory", id="memory"), pytest.param("kafka", id="kafka", marks=pytest.mark.kafka)]

ALL = [*BOTH, pytest.param("wire", id="wire", marks=pytest.mark.kafka)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPorts:
    """One cluster through all its ports."""

    admin: ClusterAdmin
    producer: RecordProducer
    log: RecordLog
    open_producer: Callable[[], RecordProducer]
    open_log: Callable[[], RecordLog]

    def close(self) -> None:
        self.producer.close()
        self.log.close()
        self.admin.close()


def open_ports(kind: str, request: pytest.FixtureRequest) -> ControlPorts:
    """The ports of a family, on a running cluster."""
    if kind == "memory":
        return memory_ports(MemoryCluster("here"))
    return _OPEN[kind]("here", request.getfixturevalue("kafka_cluster").bootstrap)


def open_dead_ports(kind: str) -> ControlPorts:
    """The ports of a family, on a cluster that does not answer."""
    if kind == "memory":
        cluster = MemoryCluster("gone")
        cluster.is_up = False
        return memory_ports(cluster)
    return _OPEN[kind]("gone", "127.0.0.1:1")


def new_topic(name: str, *, partitions: int = 1, factor: int = 1, **configs: str) -> NewTopic:
    dotted = {key.replace("_", "."): value for key, value in configs.items()}
    return NewTopic(name=name, partitions=partitions, replication_factor=factor, configs=dotted)


def memory_ports(cluster: MemoryCluster) -> ControlPorts:
    return ControlPorts(
        admin=MemoryAdmin(cluster),
        producer=MemoryProducer(cluster),
        log=MemoryRecordLog(cluster),
        open_producer=lambda: MemoryProducer(cluster),
        open_log=lambda: MemoryRecordLog(cluster),
    )


def kafka_ports(alias: str, bootstrap: str) -> ControlPorts:
    client = ClusterClient(alias=alias, bootstrap=(bootstrap,))
    return ControlPorts(
        admin=open_admin(client),
        producer=ConfluentRecordProducer(client),
        log=KafkaRecordLog(client),
        open_producer=lambda: ConfluentRecordProducer(client),
        open_log=lambda: KafkaRecordLog(client),
    )


class LoopedProducer(WireRecordProducer):
    """A producer with a separate loop, which ends with it."""

    def __init__(self, client: ClusterClient) -> None:
        self._loop = EngineLoop("test-records")
        self._loop.start()
        self._one = RecordSender(client, self._loop)
        super().__init__(client, self._borrowed)

    @contextmanager
    def _borrowed(self) -> Iterator[RecordSender]:
        yield self._one

    def close(self) -> None:
        self._one.close()
        self._loop.stop(2.0)


def wire_ports(alias: str, bootstrap: str) -> ControlPorts:
    client = ClusterClient(alias=alias, bootstrap=(bootstrap,))
    admin = open_admin(client, WireChosenConfigs(client))
    return replace(kafka_ports(alias, bootstrap), admin=admin, producer=LoopedProducer(client))


_OPEN: dict[str, Callable[[str, str], ControlPorts]] = {"kafka": kafka_ports, "wire": wire_ports}
