"""Fixtures of the driver process tests."""

from collections.abc import Iterator

import pytest

from replication.worker.state.redis_store import RedisStore
from tests.component.worker.target_bench import Bench
from tests.support.drivers.driver_processes import fleet
from tests.support.servers.redis import RunningRedis

__all__ = ["fleet"]


@pytest.fixture
def bench(own_redis: RunningRedis) -> Iterator[Bench]:
    store = RedisStore(own_redis.url)
    yield Bench(store)
    store.close()
