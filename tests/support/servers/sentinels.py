"""A primary, its replica and the Sentinel that watches them, all real; the replica can be left behind."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from srm_cli.machine import embedded_redis
from srm_cli.machine.ports import LOOPBACK, free_port
from srm_cli.machine.processes import wait_until

LINK_S = 30.0
_PASSWORD, _SENTINEL_PASSWORD = "word-of-redis", "word-of-sentinel"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedPair:
    """`url` is for programs that follow the primary, the two others are for the test's clients."""

    url: str
    primary: "subprocess.Popen[bytes]"
    primary_url: str
    replica_url: str

    def leave_replica_behind(self) -> None:
        """From now on the replica gets nothing: it cannot log in at the primary again."""
        with Redis.from_url(self.replica_url) as client:
            client.config_set("masterauth", "another")
            client.client_kill_filter(_type="master")
            assert wait_until(lambda: not _is_linked(client), LINK_S), "the replica still follows the primary"

    def kill_primary(self) -> None:
        """Kill the primary; returns when the Sentinel has made the replica the primary."""
        self.primary.kill()
        self.primary.wait()
        with Redis.from_url(self.replica_url) as client:
            assert wait_until(lambda: _is_primary(client), LINK_S), "the Sentinel has not promoted the replica"


@contextmanager
def watched_pair_in(folder: Path, *, down_after_ms: int = 1_000) -> Iterator[WatchedPair]:
    """Start the three processes; a replica may be behind for ten times `down_after_ms` and is promoted all the same."""
    primary, replica, sentinel = (free_port() for _ in range(3))
    common = f'bind {LOOPBACK}\nsave ""\nrequirepass {_PASSWORD}\nmasterauth {_PASSWORD}\n'
    started: list[subprocess.Popen[bytes]] = []
    try:
        started.append(_server(folder / "primary", f"{common}port {primary}\n"))
        started.append(_server(folder / "replica", f"{common}port {replica}\nreplicaof {LOOPBACK} {primary}\n"))
        replica_url = f"redis://:{_PASSWORD}@{LOOPBACK}:{replica}/0"
        with Redis.from_url(replica_url) as client:
            assert wait_until(lambda: _is_linked(client), LINK_S), "the replica does not follow the primary"
        watch = (
            f"bind {LOOPBACK}\nport {sentinel}\nrequirepass {_SENTINEL_PASSWORD}\n"
            f"sentinel monitor main {LOOPBACK} {primary} 1\nsentinel auth-pass main {_PASSWORD}\n"
            f"sentinel down-after-milliseconds main {down_after_ms}\nsentinel failover-timeout main 5000\n"
        )
        started.append(_server(folder / "sentinel", watch, "--sentinel"))
        query = f"sentinel_password={_SENTINEL_PASSWORD}"
        yield WatchedPair(
            url=f"redis+sentinel://:{_PASSWORD}@{LOOPBACK}:{sentinel}/main/0?{query}",
            primary=started[0],
            primary_url=f"redis://:{_PASSWORD}@{LOOPBACK}:{primary}/0",
            replica_url=replica_url,
        )
    finally:
        for process in started:
            process.kill()
            process.wait()


def _server(folder: Path, config: str, *options: str) -> "subprocess.Popen[bytes]":
    folder.mkdir(parents=True)
    file = folder / "server.conf"
    file.write_text(f"{config}dir {folder}\n")
    command = [embedded_redis.server_binary(), str(file), *options]
    return subprocess.Popen(command, stdout=(folder / "log").open("wb"), stderr=subprocess.STDOUT)


def _is_linked(client: "Redis") -> bool:
    return _replication(client).get("master_link_status") == "up"


def _is_primary(client: "Redis") -> bool:
    return _replication(client).get("role") == "master"


def _replication(client: "Redis") -> dict[str, object]:
    """Empty while the server does not answer."""
    try:
        return dict(client.info("replication"))
    except RedisError:
        return {}
