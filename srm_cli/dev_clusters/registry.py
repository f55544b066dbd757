"""The registry `SRM_HOME/clusters.json`: local clusters with their ports and processes."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from srm_cli.dev_clusters.broker import BrokerNode
from srm_cli.machine.ports import LOOPBACK
from srm_cli.machine.processes import ProcessIdentity


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalCluster:
    alias: str
    uuid: str
    nodes: tuple[BrokerNode, ...]
    processes: tuple[ProcessIdentity, ...] = ()

    @property
    def bootstrap(self) -> str:
        return ",".join(f"{LOOPBACK}:{node.port}" for node in self.nodes)

    @property
    def is_running(self) -> bool:
        return len(self.processes) == len(self.nodes) and all(each.is_alive for each in self.processes)

    def with_processes(self, processes: tuple[ProcessIdentity, ...]) -> "LocalCluster":
        return replace(self, processes=processes)


class ClusterRegistry:
    """Reads and writes the registry; it is written after every change, so that later commands find the processes."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._path = home / "clusters.json"

    def load(self) -> dict[str, LocalCluster]:
        if not self._path.exists():
            return {}
        document: dict[str, dict[str, Any]] = json.loads(self._path.read_text())
        return {alias: self._from_json(alias, entry) for alias, entry in document.items()}

    def save(self, clusters: dict[str, LocalCluster]) -> None:
        self._home.mkdir(parents=True, exist_ok=True)
        scratch = self._path.with_suffix(".json.new")
        scratch.write_text(json.dumps({alias: _to_json(each) for alias, each in clusters.items()}, indent=1))
        scratch.replace(self._path)

    def node_folder(self, alias: str, node_id: int) -> Path:
        return self._home / "clusters" / alias / str(node_id)

    def _from_json(self, alias: str, entry: dict[str, Any]) -> LocalCluster:
        nodes = tuple(
            BrokerNode(
                node_id=node["node_id"],
                port=node["port"],
                controller_port=node["controller_port"],
                folder=self.node_folder(alias, node["node_id"]),
            )
            for node in entry["nodes"]
        )
        processes = tuple(
            ProcessIdentity(pid=pid, start_ticks=ticks)
            for pid, ticks in zip(entry["pids"], entry["start_ticks"], strict=True)
        )
        return LocalCluster(alias=alias, uuid=entry["uuid"], nodes=nodes, processes=processes)


def _to_json(cluster: LocalCluster) -> dict[str, Any]:
    return {
        "bootstrap": cluster.bootstrap,
        "pids": [each.pid for each in cluster.processes],
        "start_ticks": [each.start_ticks for each in cluster.processes],
        "uuid": cluster.uuid,
        "nodes": [
            {"node_id": node.node_id, "port": node.port, "controller_port": node.controller_port}
            for node in cluster.nodes
        ],
    }
