"""The operator's properties file: read, its findings shown, its clusters tried, its targets handed to metrics."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from replication.config import load
from replication.config.flows.model import ClusterDefinition, ConfigError, ReplicationConfig
from replication.domain.settings.choices import FILE_DIALECT
from srm_cli.errors import OperatorError
from srm_cli.machine.home import HomeFolder, write_private
from srm_cli.system.probes import bootstrap_accepts


def read_config(path: Path, dialect: str = FILE_DIALECT) -> ReplicationConfig:
    """
    Raises:
        OperatorError: the file is missing or wrong; all errors of the file are in the message.
    """
    if not path.is_file():
        raise OperatorError(f"{path} does not exist: give an mm2.properties file with --config")
    try:
        return load(path, dialect)
    except ConfigError as error:
        lines = "\n".join(f"  {finding}" for finding in error.findings)
        raise OperatorError(f"{path} cannot be used, {len(error.findings)} error(s):\n{lines}") from error


def print_findings(config: ReplicationConfig, say: Callable[[str], None]) -> None:
    for finding in config.findings:
        say(f"{finding.severity}: {finding}")


def unreachable_clusters(config: ReplicationConfig) -> list[ClusterDefinition]:
    """Clusters none of whose bootstrap servers opens a connection; all are tried at once."""
    with ThreadPoolExecutor(max_workers=16) as pool:
        reached = list(pool.map(_is_reachable, config.clusters))
    return [cluster for cluster, is_reached in zip(config.clusters, reached, strict=True) if not is_reached]


def write_metrics_targets(folder: HomeFolder, config: ReplicationConfig) -> None:
    """Clusters for the metrics process: raw metrics of the flows' targets are counted, audits read the sources too.

    Holds secrets, so only its owner reads it.
    """
    targets = set(config.manager.service_targets or (flow.target for flow in config.flows))
    document = [
        {
            "target": each.alias,
            "bootstrap": list(each.bootstrap),
            "client": {**each.client, **each.secrets},
            "counted": each.alias in targets,
        }
        for each in config.clusters
    ]
    write_private(folder.metrics_targets, json.dumps(document, indent=1))


def ensure_metrics_targets(folder: HomeFolder) -> None:
    """Write a file without targets if there is none; the service adds the targets of its flows."""
    if not folder.metrics_targets.is_file():
        write_private(folder.metrics_targets, "[]")


def _is_reachable(cluster: ClusterDefinition) -> bool:
    return any(bootstrap_accepts(address) for address in cluster.bootstrap)
