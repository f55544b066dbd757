"""Does a process do its work? Each probe answers within seconds and never raises."""

import json
import socket
import urllib.error
import urllib.request
from pathlib import Path

from replication.domain.assignment.assignment import DriverRole
from replication.worker.state import keys
from srm_cli.dev_clusters.lifecycle import answers
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine import embedded_redis
from srm_cli.supervisor.spec import Probe


def redis_answers(redis_url: str) -> Probe:
    return lambda _: embedded_redis.answers(redis_url)


def cluster_answers(cluster: LocalCluster) -> Probe:
    return lambda _: answers(cluster)


def service_is_ready(base_url: str) -> Probe:
    def probe(_: int) -> bool:
        try:
            with urllib.request.urlopen(f"{base_url}/readyz", timeout=3) as answer:  # noqa: S310 - our own address
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    return probe


def driver_is_member(redis_url: str, driver_id: str, role: DriverRole) -> Probe:
    """The membership key names the process after its coordinator's first round; an older key outlives a kill."""

    def probe(pid: int) -> bool:
        from redis import RedisError  # see embedded_redis.answers

        from replication.config.redis_access import open_redis

        with open_redis(redis_url, socket_connect_timeout=1.0, socket_timeout=1.0) as client:
            try:
                membership = client.get(keys.member(driver_id, role))
            except RedisError:
                return False
        return isinstance(membership, bytes) and json.loads(membership).get("pid") == pid

    return probe


def log_says(log: Path, words: str) -> Probe:
    """For a process without a port; the log is a new one at each start."""
    return lambda _: log.exists() and words in log.read_text(errors="replace")


def bootstrap_accepts(bootstrap: str, timeout_seconds: float = 2.0) -> bool:
    """True when a TCP connection to `host:port` opens."""
    host, _, port = bootstrap.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout_seconds).close()
    except (OSError, ValueError):
        return False
    return True
