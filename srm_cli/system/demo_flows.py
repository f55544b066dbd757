"""The flows of the demonstration, as the properties file an operator would write."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.home import HomeFolder

ALIASES = ("us-east", "eu-central", "analytics")
FLOWS = (("us-east", "eu-central"), ("eu-central", "us-east"), ("us-east", "analytics"))
_SERVICE = "streams.replication.manager.service"


def write_demo_properties(folder: HomeFolder, clusters: Mapping[str, LocalCluster]) -> Path:
    """`SRM_HOME/demo/mm2.properties`, rewritten at each start because ports may have changed."""
    return _write(folder, _lines(clusters, FLOWS))


def write_service_properties(
    folder: HomeFolder, clusters: Mapping[str, LocalCluster], target: str, remote_targets: Sequence[str]
) -> Path:
    """Write the file of a service that reports the flows into one target; others report those into remote targets."""
    lines = _lines(clusters, [flow for flow in FLOWS if flow[1] == target])
    lines += ["", f"{_SERVICE}.target.cluster = {target}"]
    lines += [f"{_SERVICE}.remote.target.cluster = {', '.join(remote_targets)}"] if remote_targets else []
    return _write(folder, [*lines, f"{_SERVICE}.remote.advertisement.topic.replication.factor = 1"])


def _write(folder: HomeFolder, lines: Sequence[str]) -> Path:
    path = folder.path / "demo" / "mm2.properties"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


def _lines(clusters: Mapping[str, LocalCluster], flows: Sequence[tuple[str, str]]) -> list[str]:
    lines = ["# Made by `srm demo`; an ordinary MirrorMaker 2 file.", f"clusters = {', '.join(ALIASES)}"]
    lines += [f"{alias}.bootstrap.servers = {clusters[alias].bootstrap}" for alias in ALIASES]
    for source, target in flows:
        flow = f"{source}->{target}"
        lines += ["", f"{flow}.enabled = true", f"{flow}.topics = .*", f"{flow}.tasks.max = 2"]
    # MirrorMaker's default is not to write offsets; the demonstration shows groups that are ready within seconds.
    lines += ["", "sync.group.offsets.enabled = true"]
    lines += [f"{key}.interval.seconds = 5" for key in ("emit.checkpoints", "sync.group.offsets", "refresh.groups")]
    # MirrorMaker would send heartbeats between the other pairs too; the demonstration shows its own flows only.
    others = [pair for pair in itertools.permutations(ALIASES, 2) if pair not in flows]
    lines += ["", *(f"{source}->{target}.emit.heartbeats.enabled = false" for source, target in others)]
    # One broker per cluster cannot hold more than one replica.
    topics = ("", "checkpoints.topic.", "heartbeats.topic.", "offset-syncs.topic.")
    return [*lines, "", *(f"{topic}replication.factor = 1" for topic in topics)]
