"""The flows of the demonstration, as the properties file an operator would write."""

import itertools
from collections.abc import Mapping
from pathlib import Path

from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.home import HomeFolder

ALIASES = ("us-east", "eu-central", "analytics")
_FLOWS = (("us-east", "eu-central"), ("eu-central", "us-east"), ("us-east", "analytics"))


def write_demo_properties(folder: HomeFolder, clusters: Mapping[str, LocalCluster]) -> Path:
    """`SRM_HOME/demo/mm2.properties`, rewritten at each start because ports may have changed."""
    path = folder.path / "demo" / "mm2.properties"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(_lines(clusters)) + "\n")
    return path


def _lines(clusters: Mapping[str, LocalCluster]) -> list[str]:
    lines = ["# Made by `srm demo`; an ordinary MirrorMaker 2 file.", f"clusters = {', '.join(ALIASES)}"]
    lines += [f"{alias}.bootstrap.servers = {clusters[alias].bootstrap}" for alias in ALIASES]
    for source, target in _FLOWS:
        flow = f"{source}->{target}"
        lines += ["", f"{flow}.enabled = true", f"{flow}.topics = .*", f"{flow}.tasks.max = 2"]
    # MirrorMaker's default is not to write offsets; the demonstration shows groups that are ready within seconds.
    lines += ["", "sync.group.offsets.enabled = true"]
    lines += [f"{key}.interval.seconds = 5" for key in ("emit.checkpoints", "sync.group.offsets", "refresh.groups")]
    # MirrorMaker would send heartbeats between the other pairs too; the demonstration shows its three flows only.
    others = [pair for pair in itertools.permutations(ALIASES, 2) if pair not in _FLOWS]
    lines += ["", *(f"{source}->{target}.emit.heartbeats.enabled = false" for source, target in others)]
    # One broker per cluster cannot hold more than one replica.
    topics = ("", "checkpoints.topic.", "heartbeats.topic.", "offset-syncs.topic.")
    return [*lines, "", *(f"{topic}replication.factor = 1" for topic in topics)]
