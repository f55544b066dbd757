"""Messages of a driver in a real Redis: the transport records and acknowledges none of them."""

from collections.abc import Iterator

import pytest
from celery import Celery
from celery.contrib.testing.worker import start_worker
from redis import Redis

from replication.worker.jobs.at_most_once import AtMostOnceTask, at_most_once_queue
from tests.support.eventually import eventually
from tests.support.servers.redis import RunningRedis

pytestmark = pytest.mark.redis

_QUEUE, _MESSAGES = "test.at-most-once", 20
_RECORDING = ("cmdstat_zadd", "cmdstat_zrem", "cmdstat_hdel")


@pytest.fixture
def redis(redis_server: RunningRedis) -> Iterator[Redis]:
    with Redis.from_url(redis_server.url) as client:
        yield client


def test_messages_run_once_and_are_not_recorded(redis_server: RunningRedis, redis: Redis) -> None:
    ran: list[int] = []
    app: Celery = Celery("test", broker=redis_server.url, set_as_current=False, fixups=[], task_cls=AtMostOnceTask)
    app.conf.update(
        task_default_queue=_QUEUE,
        task_queues=[at_most_once_queue(_QUEUE)],
        task_ignore_result=True,
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
    )

    @app.task(name="test.number")
    def note(number: int) -> None:
        ran.append(number)

    redis.config_resetstat()

    with start_worker(app, pool="threads", concurrency=4, perform_ping_check=False, shutdown_timeout=30):
        for number in range(_MESSAGES):
            app.send_task("test.number", (number,), queue=_QUEUE)
        eventually(lambda: len(ran) == _MESSAGES, 30, "all messages run")

    assert sorted(ran) == list(range(_MESSAGES))
    commands = redis.info("commandstats")
    assert sum(commands[name]["calls"] for name in _RECORDING if name in commands) < _MESSAGES  # a few by the start
