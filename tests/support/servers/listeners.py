"""One-broker clusters with a second listener for the engine: the test's own clients use the plain one."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.jars import require_java
from srm_cli.machine.ports import LOOPBACK, free_port

SCRAM = "SCRAM-SHA-256"
AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",  # who comes through the plain listener
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoDoors:
    """A cluster and where the engine is to knock."""

    cluster: LocalCluster
    bootstrap: str  # of the plain listener
    second: str

    @property
    def second_port(self) -> int:
        return int(self.second.rpartition(":")[2])


def start_with_second_listener(
    dev_clusters: DevClusters,
    alias: str,
    *,
    protocol: str = "PLAINTEXT",
    advertised_port: int | None = None,
    extra: Mapping[str, str] | None = None,
) -> TwoDoors:
    """`advertised_port` replaces in the metadata the second listener's own: that of a proxy."""
    node = dev_clusters.prepare(alias).nodes[0]
    port = free_port({node.port, node.controller_port})
    plain = f"PLAINTEXT://{LOOPBACK}:{node.port}"
    settings = {
        "listeners": f"{plain},CONTROLLER://{LOOPBACK}:{node.controller_port},SECOND://{LOOPBACK}:{port}",
        "advertised.listeners": f"{plain},SECOND://{LOOPBACK}:{advertised_port or port}",
        "listener.security.protocol.map": f"PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECOND:{protocol}",
        "sasl.enabled.mechanisms": SCRAM,
        "listener.name.second.scram-sha-256.sasl.jaas.config": (
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        ),
    }
    cluster = dev_clusters.up([alias], extra={**settings, **(extra or {})})[alias]
    return TwoDoors(cluster=cluster, bootstrap=cluster.bootstrap, second=f"{LOOPBACK}:{port}")


def scram_client(user: str, password: str) -> dict[str, str]:
    """The engine's settings, as an operator writes them."""
    login = "org.apache.kafka.common.security.scram.ScramLoginModule"
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": SCRAM,
        "sasl.jaas.config": f'{login} required username="{user}" password="{password}";',
    }


def set_client_quota(bootstrap: str, jars: Path, change: str) -> None:
    """`change` as kafka-configs takes it: `--add-config producer_byte_rate=1000` or `--delete-config ...`."""
    command = [require_java(), "-Xmx96m", "-cp", f"{jars}/*", "kafka.admin.ConfigCommand"]
    command += ["--bootstrap-server", bootstrap, "--alter", *change.split(), "--entity-type", "clients"]
    subprocess.run([*command, "--entity-default"], check=True, capture_output=True, timeout=60)
