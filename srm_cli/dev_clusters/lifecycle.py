"""Starts and stops local clusters. The data and ports of a cluster outlive its processes."""

import base64
import re
import subprocess
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from srm_cli.dev_clusters.broker import BrokerNode, format_command, run_command, write_properties
from srm_cli.dev_clusters.probe import brokers_seen
from srm_cli.dev_clusters.registry import ClusterRegistry, LocalCluster
from srm_cli.errors import OperatorError
from srm_cli.machine.jars import Progress
from srm_cli.machine.ports import LOOPBACK, free_port, is_free
from srm_cli.machine.processes import end, start_detached, wait_until

_START_SECONDS = 90.0
_STOP_SECONDS = 20.0
# A killed JVM leaves the process table shortly before the kernel closes its sockets.
_PORT_SECONDS = 3.0
_ALIAS = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]*")


class DevClusters:
    """The local clusters of one state folder.

    With `tie_to_parent` the kernel ends the brokers with this process (tests, supervisor); otherwise they keep running.
    Call from the main thread: see `srm_cli.machine.processes.die_with_parent`.
    """

    def __init__(self, home: Path, jars: Path, *, tie_to_parent: bool, say: Progress = print) -> None:
        self._registry = ClusterRegistry(home)
        self._jars = jars
        self._tie_to_parent = tie_to_parent
        self._say = say

    def all(self) -> dict[str, LocalCluster]:
        return self._registry.load()

    def up(
        self, aliases: Sequence[str], *, brokers: int = 1, extra: Mapping[str, str] | None = None
    ) -> dict[str, LocalCluster]:
        """Start these clusters together and wait until every broker answers and sees all the others.

        Raises:
            OperatorError: an alias is invalid, or a broker died or did not answer; the message names its log.
        """
        prepared = [self.prepare(alias, brokers=brokers, extra=extra) for alias in aliases]
        started = {cluster.alias: self._start(cluster) for cluster in prepared}
        for cluster in started.values():
            self._wait_until_it_answers(cluster)
        return started

    def prepare(self, alias: str, *, brokers: int = 1, extra: Mapping[str, str] | None = None) -> LocalCluster:
        """Allocate ports, write properties files and format storage; a known cluster keeps all of these."""
        if not _ALIAS.fullmatch(alias):
            raise OperatorError(f"{alias!r} is not a cluster alias: use letters, digits, '-' and '_'")
        known = self._registry.load()
        cluster = known.get(alias) or self._new_cluster(alias, brokers, known)
        if len(cluster.nodes) != brokers:
            raise OperatorError(
                f"cluster {alias} exists with {len(cluster.nodes)} broker(s), not {brokers}: "
                f"`srm dev-clusters stop --delete {alias}` removes it"
            )
        if not cluster.is_running and not answers(cluster):
            cluster = self._with_free_ports(cluster, known)
            for node in cluster.nodes:
                write_properties(node, cluster.nodes, dict(extra or {}))
            self._format(cluster)
        self._registry.save({**self._registry.load(), alias: cluster})
        return cluster

    def stop(self, aliases: Sequence[str] = ()) -> list[str]:
        """Stop these clusters (all when empty); returns the aliases that were running."""
        known = self._registry.load()
        chosen = [known[alias] for alias in aliases or known if alias in known]
        running = [cluster for cluster in chosen if any(each.is_alive for each in cluster.processes)]
        end([each for cluster in running for each in cluster.processes], grace_seconds=_STOP_SECONDS)
        stopped = {cluster.alias: cluster.with_processes(()) for cluster in chosen}
        self._registry.save({**known, **stopped})
        return [cluster.alias for cluster in running]

    def forget(self, alias: str) -> None:
        """Remove a stopped cluster from the registry; the caller deletes its folder."""
        known = self._registry.load()
        known.pop(alias, None)
        self._registry.save(known)

    def _new_cluster(self, alias: str, brokers: int, known: Mapping[str, LocalCluster]) -> LocalCluster:
        taken = _ports(known.values())
        nodes = []
        for node_id in range(1, brokers + 1):
            port = free_port(taken)
            controller_port = free_port({*taken, port})
            taken |= {port, controller_port}
            folder = self._registry.node_folder(alias, node_id)
            nodes.append(BrokerNode(node_id=node_id, port=port, controller_port=controller_port, folder=folder))
        return LocalCluster(alias=alias, uuid=_new_uuid(), nodes=tuple(nodes))

    def _with_free_ports(self, cluster: LocalCluster, known: Mapping[str, LocalCluster]) -> LocalCluster:
        """Replace ports that another program has taken while the cluster was down."""
        ports = _ports([cluster])
        are_free = wait_until(lambda: all(is_free(port) for port in ports), _PORT_SECONDS)
        if are_free or any(each.is_alive for each in cluster.processes):
            return cluster
        self._say(f"{cluster.alias}: a port of {cluster.bootstrap} is in use by another program, choosing new ports")
        moved = self._new_cluster(cluster.alias, len(cluster.nodes), known)
        return LocalCluster(alias=cluster.alias, uuid=cluster.uuid, nodes=moved.nodes)

    def _format(self, cluster: LocalCluster) -> None:
        waiting = [
            (node, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
            for node in cluster.nodes
            if not node.is_formatted
            for command in [format_command(node, self._jars, cluster.uuid)]
        ]
        for node, process in waiting:
            output, _ = process.communicate()
            if process.returncode != 0:
                raise OperatorError(f"cannot format {node.folder} for {cluster.alias}: {output.strip()[-300:]}")

    def _start(self, cluster: LocalCluster) -> LocalCluster:
        if cluster.is_running or answers(cluster):  # the supervisor of this folder may run it
            return cluster
        end([each for each in cluster.processes if each.is_alive], grace_seconds=_STOP_SECONDS)
        processes = tuple(
            start_detached(run_command(node, self._jars), log=node.log_file, tie_to_parent=self._tie_to_parent)
            for node in cluster.nodes
        )
        running = cluster.with_processes(processes)
        self._registry.save({**self._registry.load(), cluster.alias: running})
        return running

    def _wait_until_it_answers(self, cluster: LocalCluster) -> None:
        began = last_said = time.monotonic()
        while not answers(cluster):
            now = time.monotonic()
            if not all(each.is_alive for each in cluster.processes) or now - began > _START_SECONDS:
                raise OperatorError(f"a broker of {cluster.alias} did not start: see {cluster.nodes[0].log_file}")
            if now - last_said > 4.0:
                self._say(f"{cluster.alias}: waiting for {len(cluster.nodes)} broker(s), {now - began:.0f} s")
                last_said = now
            time.sleep(0.1)


def answers(cluster: LocalCluster) -> bool:
    """True when each broker answers and knows all the others."""
    return all(brokers_seen(LOOPBACK, node.port) == len(cluster.nodes) for node in cluster.nodes)


def _ports(clusters: Iterable[LocalCluster]) -> set[int]:
    return {port for cluster in clusters for node in cluster.nodes for port in (node.port, node.controller_port)}


def _new_uuid() -> str:
    """Return a random id in Kafka's form: URL-safe base 64; a leading '-' would be parsed as an option."""
    while (text := base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")).startswith("-"):
        pass
    return text
