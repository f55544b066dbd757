"""A driver over TLS, and over Sentinels whose primary dies."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError

from srm_cli.machine.processes import wait_until
from tests.support.drivers.driver_command import LIMIT_S, RunningDriver
from tests.support.servers.pki import Authority
from tests.support.servers.redis import RunningRedis
from tests.support.servers.sentinels import WatchedPair, watched_pair_in
from tests.support.servers.tls_link import tls_in_front_of

pytestmark = [pytest.mark.redis, pytest.mark.slow]

WORKERS = {"berlin:control", "berlin:data"}


def test_a_driver_joins_over_tls_with_the_certificate_authority_of_the_url(
    own_redis: RunningRedis, tmp_path: Path
) -> None:
    authority = Authority("root")
    key = authority.issue("localhost").write_pem(tmp_path / "server.pem")
    root = tmp_path / "root.pem"
    root.write_text(authority.root_pem)
    with tls_in_front_of(own_redis.port, key) as port:
        url = f"rediss://:{own_redis.password}@localhost:{port}/0?ssl_ca_certs={root}"
        driver = RunningDriver(url, own_redis.url, tmp_path / "home")
        try:
            driver.wait_for(WORKERS)
            assert wait_until(lambda: _has_sent(driver.redis, "lpush"), LIMIT_S)  # Celery has connected as well
        finally:
            driver.stop()


@pytest.fixture
def watched_pair(tmp_path: Path) -> Iterator[WatchedPair]:
    with watched_pair_in(tmp_path) as pair:
        yield pair


def test_a_driver_follows_the_primary_that_sentinels_name(watched_pair: WatchedPair, tmp_path: Path) -> None:
    driver = RunningDriver(watched_pair.url, watched_pair.primary_url, tmp_path / "home")
    try:
        before = driver.wait_for(WORKERS)
        watched_pair.kill_primary()
        driver.redis = Redis.from_url(watched_pair.replica_url)
        sent_ms = {name: member["sent_ms"] for name, member in before.items()}
        assert wait_until(lambda: _have_sent_since(driver, sent_ms), LIMIT_S), driver.output.read_text()
        boots = {name: member["boot"] for name, member in driver.members().items()}
        assert boots == {name: member["boot"] for name, member in before.items()}  # no process has ended
    finally:
        driver.stop()


def _have_sent_since(driver: RunningDriver, sent_ms: Mapping[str, int]) -> bool:
    try:
        members = driver.members()
    except RedisError:  # a replica that becomes the primary closes connections
        return False
    return all(members.get(name, {}).get("sent_ms", 0) > at + 5_000 for name, at in sent_ms.items())


def _has_sent(client: "Redis", command: str) -> bool:
    return f"cmdstat_{command}" in client.info("commandstats")
