"""Clusters in memory, in which services advertise themselves, and scripted services that are asked."""

from collections.abc import Iterator
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient

from replication.config.tree import PropertyPlace
from replication.domain.plan.slot import ClusterClient
from replication.lists.service_advertisements import ServiceAdvertisements
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.services import apply_changes
from srm_service.remote import following
from srm_service.remote.asking.ledger import ledger
from srm_service.remote.asking.loop import peer_loop
from srm_service.remote.selectors import forget_plan
from tests.component.service.conftest import at_ms, config_import, configured, flow_definition, put
from tests.component.service.remote.peers import Recorded, advertised, record, report_targets, serve
from tests.support.drivers import live_documents as live
from tests.support.servers.peer import ScriptedPeer, running_peer

REMOTE_TARGETS = "streams.replication.manager.service.remote.target.cluster"


def advertisements_of(cluster: MemoryCluster) -> ServiceAdvertisements:
    return ServiceAdvertisements(MemoryAdmin(cluster), MemoryRecordLog(cluster), MemoryProducer(cluster))


def set_global(name: str, value: str) -> None:
    change = PropertyChange(place=PropertyPlace(level="global", name=name), value=value)
    apply_changes([change], by="test", comment="")
    forget_plan()


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> dict[str, MemoryCluster]:
    """The clusters by alias, instead of brokers."""
    known = {alias: MemoryCluster(alias) for alias in ("us-east", "eu-central", "ap-south")}

    def opened(wanted: ClusterClient) -> ServiceAdvertisements:
        return advertisements_of(known[wanted.alias])

    monkeypatch.setattr(following, "service_advertisements", opened)
    return known


@pytest.fixture
def gateway(db: None, settings: Any, clusters: dict[str, MemoryCluster]) -> dict[str, MemoryCluster]:
    """This service reports eu-central; other services report ap-south."""
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("us-east", "ap-south")))
    set_global("streams.replication.manager.service.target.cluster", "eu-central")
    set_global(REMOTE_TARGETS, "ap-south")
    return clusters


@pytest.fixture(autouse=True)
def connections_end(db: None) -> Iterator[None]:
    """Connections to the scripted services end with the test."""
    yield
    ledger.store(at_once=True)
    peer_loop.renew_client()


@pytest.fixture
def peer() -> Iterator[ScriptedPeer]:
    with running_peer() as running:
        yield running


@pytest.fixture
def second_peer() -> Iterator[ScriptedPeer]:
    with running_peer() as running:
        yield running


@pytest.fixture(scope="session")
def recordings() -> list[Recorded]:
    """The recording of this session: it takes a second."""
    return []


@pytest.fixture
def recorded(
    db: None, settings: Any, viewer: APIClient, live_redis: redis.Redis, recordings: list[Recorded]
) -> Recorded:
    """This service reports us-east->eu-central, where a driver runs; another one reports us-east->ap-south."""
    settings.SRM_REMOTE = settings.SRM_REMOTE  # restored after the test
    config_import(configured(flow_definition("us-east", "eu-central"), flow_definition("us-east", "ap-south")))
    if not recordings:
        recordings.append(record(viewer, live_redis))
    report_targets("eu-central", "ap-south")
    put(live_redis, live.source_task("us-east", "eu-central", at_ms(), records_per_second=10.0))
    return recordings[0]


@pytest.fixture
def other(recorded: Recorded, peer: ScriptedPeer) -> str:
    """The address of the other service, which answers."""
    serve(peer, recorded)
    return advertised(peer, service=recorded.service)
