import pytest

from replication.memory.broker import MemoryCluster


@pytest.fixture
def east() -> MemoryCluster:
    return MemoryCluster("east", brokers=3)


@pytest.fixture
def west() -> MemoryCluster:
    return MemoryCluster("west", brokers=3)
