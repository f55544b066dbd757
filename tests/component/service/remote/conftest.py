"""Clusters in memory, in which services advertise themselves."""

from typing import Any

import pytest

from replication.config.tree import PropertyPlace
from replication.domain.plan.slot import ClusterClient
from replication.lists.service_advertisements import ServiceAdvertisements
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster
from replication.memory.records import MemoryProducer, MemoryRecordLog
from srm_service.configuration.contracts import PropertyChange
from srm_service.configuration.services import apply_changes
from srm_service.remote import following
from srm_service.remote.selectors import forget_plan
from tests.component.service.conftest import config_import, configured, flow_definition

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
