"""An idle control worker with twenty cluster aliases: memory, threads, CPU and Redis commands."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from redis import Redis

from replication.config.security.signed_document import signed
from replication.domain.desired.desired_document import (
    ConnectorSettings,
    DesiredCluster,
    DesiredDocument,
    DesiredFlow,
    NamePatterns,
    desired_to_json,
)
from replication.worker.state import keys
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.processes import end
from tests.benchmarks.fleet.usage import Usage, threads
from tests.benchmarks.groups.sampling import tree_mb
from tests.benchmarks.report import Result
from tests.support.drivers.whole_driver import WholeDriver
from tests.support.eventually import eventually
from tests.support.kafka.kafka_records import create_topic
from tests.support.servers.redis import start_redis

ALIASES = tuple(f"a{number:02}" for number in range(20))
ENABLED_PER_TARGET = 2
TOPIC = "fleet-orders"
# Ten aliases share a cluster: each flow would copy the heartbeats of all others, along every path between aliases.
NO_COPIES_OF_HEARTBEATS = {"heartbeats.replication.enabled": "false"}
START_S, SETTLE_S, MEASURED_S = 240.0, 40.0, 60.0
PAIRS = len(ALIASES) * (len(ALIASES) - 1)
NAME = f"idle control worker, {len(ALIASES)} aliases, {PAIRS} pairs, {ENABLED_PER_TARGET * len(ALIASES)} enabled"


def measure_control_worker(source: LocalCluster, target: LocalCluster, folder: Path) -> Iterator[Result]:
    """The aliases point at the two clusters in turn; each has separate clients, as twenty clusters would."""
    for cluster in (source, target):
        create_topic(cluster.bootstrap, TOPIC)
    with _driver(folder) as driver, Redis.from_url(driver.redis.url) as redis:
        _publish(driver, redis, [source.bootstrap, target.bootstrap])
        driver.start("control")
        began_s = time.monotonic()
        eventually(lambda: not _not_running(redis), START_S, "all heartbeats and plans run")
        print(f"fleet: all tasks ran after {time.monotonic() - began_s:.0f} s", flush=True)
        time.sleep(SETTLE_S)
        pid = driver.processes["control"].pid
        before = Usage.of([pid], redis)
        time.sleep(MEASURED_S)
        after = Usage.of([pid], redis)
        count = threads(pid)
        late_s = _oldest_heartbeat_s(redis)
        memory_mb = tree_mb(pid)
    yield Result.limited(f"{NAME}: memory", "MB", memory_mb, 300)
    yield Result.limited(f"{NAME}: threads", "", count, 150)
    yield Result.limited(f"{NAME}: CPU", "% of a core", after.cpu_percent_since(before), 15)
    yield Result.limited(f"{NAME}: oldest heartbeat", "s", late_s, 10)
    yield Result.alone(f"{NAME}: Redis commands", "per second", after.commands_per_second_since(before))


@contextmanager
def _driver(folder: Path) -> Iterator[WholeDriver]:
    home = folder / "fleet-driver"
    home.mkdir()
    driver = WholeDriver(home, start_redis(home / "redis"))
    try:
        yield driver
    except BaseException:
        print(driver.logs(), flush=True)
        raise
    finally:
        end(list(driver.processes.values()), grace_seconds=15.0)
        driver.redis.stop()


def _publish(driver: WholeDriver, redis: Redis, bootstraps: list[str]) -> None:
    clusters = {alias: DesiredCluster(bootstrap=(bootstraps[at % 2],)) for at, alias in enumerate(ALIASES)}
    for at, target in enumerate(ALIASES):
        enabled = {ALIASES[(at + 1 + 2 * number) % len(ALIASES)] for number in range(ENABLED_PER_TARGET)}
        document = DesiredDocument(
            target=target,
            revision=1,
            published_ms=time.time_ns() // 1_000_000,
            clusters=clusters,
            flows=tuple(
                DesiredFlow(
                    source=source,
                    enabled=source in enabled,
                    topics=NamePatterns(allow=(TOPIC,)),
                    connectors=ConnectorSettings(source=NO_COPIES_OF_HEARTBEATS),
                )
                for source in ALIASES
                if source != target
            ),
        )
        redis.set(keys.desired(target), signed([driver.key], desired_to_json(document)))


def _live(redis: Redis, kind: str) -> list[dict[str, Any]]:
    names = list(redis.scan_iter(match=f"{keys.PREFIX}live:*/{kind}/0", count=10_000))
    texts = cast("list[bytes | None]", redis.mget(names)) if names else []
    return [json.loads(text) for text in texts if text is not None]


def _not_running(redis: Redis) -> int:
    """Return the number of heartbeats and plans that have not run."""
    running = [state for kind in ("heartbeat", "plan") for state in _live(redis, kind) if state["state"] == "running"]
    return PAIRS + ENABLED_PER_TARGET * len(ALIASES) - len(running)


def _oldest_heartbeat_s(redis: Redis) -> float:
    now_ms = time.time_ns() // 1_000_000
    return max((now_ms - (state.get("last_sent_ms") or 0)) / 1_000 for state in _live(redis, "heartbeat"))
