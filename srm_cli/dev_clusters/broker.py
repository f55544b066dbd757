"""One KRaft broker: its properties file and the Java commands that format and run it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from srm_cli.machine.jars import require_java
from srm_cli.machine.ports import LOOPBACK

_HEAP_MB = 320
# A quick start and a small footprint matter more than peak throughput.
_JVM_OPTIONS = (
    f"-Xms{_HEAP_MB // 2}m",
    f"-Xmx{_HEAP_MB}m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xshare:auto",
    "-XX:-UsePerfData",
    "-Djava.net.preferIPv4Stack=true",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSZ",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerNode:
    """The address and folder of one node, broker and controller in one process."""

    node_id: int
    port: int
    controller_port: int
    folder: Path

    @property
    def properties_file(self) -> Path:
        return self.folder / "broker.properties"

    @property
    def log_file(self) -> Path:
        return self.folder / "broker.log"

    @property
    def is_formatted(self) -> bool:
        return (self.folder / "data" / "meta.properties").exists()


def write_properties(node: BrokerNode, quorum: Sequence[BrokerNode], extra: dict[str, str]) -> None:
    """Write the node's properties; `extra` overrides the defaults, and `{node}` in it is replaced by the id."""
    replicas = min(3, len(quorum))
    values = {
        "process.roles": "broker,controller",
        "node.id": str(node.node_id),
        "controller.quorum.voters": ",".join(f"{each.node_id}@{LOOPBACK}:{each.controller_port}" for each in quorum),
        "listeners": f"PLAINTEXT://{LOOPBACK}:{node.port},CONTROLLER://{LOOPBACK}:{node.controller_port}",
        "advertised.listeners": f"PLAINTEXT://{LOOPBACK}:{node.port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "PLAINTEXT",
        "log.dirs": str(node.folder / "data"),
        "num.partitions": "1",
        "default.replication.factor": str(replicas),
        "min.insync.replicas": str(max(1, replicas - 1)),
        "offsets.topic.replication.factor": str(replicas),
        "offsets.topic.num.partitions": "5",
        "transaction.state.log.replication.factor": str(replicas),
        "transaction.state.log.min.isr": str(max(1, replicas - 1)),
        "transaction.state.log.num.partitions": "5",
        "share.coordinator.state.topic.replication.factor": str(replicas),
        "share.coordinator.state.topic.min.isr": str(max(1, replicas - 1)),
        "group.initial.rebalance.delay.ms": "0",
        # A stray metadata request must not create an internal topic with the wrong cleanup policy.
        "auto.create.topics.enable": "false",
        "num.network.threads": "2",
        "num.io.threads": "4",
        "background.threads": "2",
        "log.cleaner.dedupe.buffer.size": "16777216",
        "log.segment.bytes": "134217728",
        "log.index.size.max.bytes": "1048576",
    } | {key: value.replace("{node}", str(node.node_id)) for key, value in extra.items()}
    node.folder.mkdir(parents=True, exist_ok=True)
    node.properties_file.write_text("".join(f"{key}={value}\n" for key, value in values.items()))


def format_command(node: BrokerNode, jars: Path, cluster_uuid: str) -> list[str]:
    tool = ["kafka.tools.StorageTool", "format", "-t", cluster_uuid, "-c", str(node.properties_file)]
    return [*_java(jars), *tool]


def run_command(node: BrokerNode, jars: Path) -> list[str]:
    return [*_java(jars), "kafka.Kafka", str(node.properties_file)]


def class_archive(jars: Path) -> Path:
    """Return the path of the archive of a broker's classes, which may not exist. It is valid for jars of this path."""
    return jars.resolve() / "broker.jsa"


def _java(jars: Path) -> list[str]:
    archive = class_archive(jars)
    archived = [f"-XX:SharedArchiveFile={archive}"] if archive.is_file() else []
    return [require_java(), *_JVM_OPTIONS, *archived, "-cp", f"{jars.resolve()}/*"]
