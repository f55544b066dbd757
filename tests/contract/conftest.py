"""Fixtures of the suites that run on several families of adapters."""

import uuid
from collections.abc import Iterator

import pytest

from replication.domain.identifiers import FlowId, transactional_id
from replication.memory.broker import MemoryCluster
from tests.contract.control_ports import BOTH
from tests.contract.data_plane_ports import DataPlane, MemoryPlane, WirePlane


@pytest.fixture(params=BOTH)
def plane(request: pytest.FixtureRequest) -> Iterator[DataPlane]:
    made: DataPlane = (
        MemoryPlane(MemoryCluster("b"))
        if request.param == "memory"
        else WirePlane(request.getfixturevalue("kafka_cluster").bootstrap)
    )
    yield made
    made.close()


@pytest.fixture
def topic() -> str:
    return f"plane-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def slot_id() -> str:
    return transactional_id(FlowId(uuid.uuid4().hex[:8], "b"), 0, 1)
