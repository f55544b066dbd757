"""The target clusters whose raw metrics are counted, from the file that `srm up` writes."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from metrics.errors import MetricsConfigError
from replication.domain.slot import ClusterClient


def read_targets(path: Path, only: Collection[str] = ()) -> tuple[ClusterClient, ...]:
    """All targets of the file, or those named. MetricsConfigError says what to repair."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MetricsConfigError(f"cannot read targets file {path}: {error.strerror}; `srm up` writes it") from error
    except ValueError as error:
        raise MetricsConfigError(f"targets file {path} is no JSON: {error}") from error
    if not isinstance(content, list) or not content:
        raise MetricsConfigError(f"targets file {path} must be a list with at least one target")
    targets = [_target(entry, f"{path} entry {index}") for index, entry in enumerate(content)]
    aliases = [target.alias for target in targets]
    if len(set(aliases)) < len(aliases):
        raise MetricsConfigError(f"targets file {path} names a target twice: {', '.join(sorted(aliases))}")
    unknown = sorted(set(only) - set(aliases))
    if unknown:
        raise MetricsConfigError(f"no target {unknown[0]} in {path}; it has {', '.join(sorted(aliases))}")
    return tuple(target for target in targets if not only or target.alias in only)


def _target(entry: Any, where: str) -> ClusterClient:  # Any: whatever JSON holds
    if not isinstance(entry, dict):
        raise MetricsConfigError(f"{where}: expected an object with target, bootstrap and client")
    alias, bootstrap, client = entry.get("target"), entry.get("bootstrap"), entry.get("client") or {}
    servers = bootstrap.split(",") if isinstance(bootstrap, str) else bootstrap
    if not isinstance(alias, str) or not alias:
        raise MetricsConfigError(f"{where}: `target` must be the cluster's alias")
    if not isinstance(servers, list) or not servers or not all(isinstance(each, str) and each for each in servers):
        raise MetricsConfigError(f"{where}: `bootstrap` of {alias} must name host:port of at least one broker")
    if not isinstance(client, dict):
        raise MetricsConfigError(f"{where}: `client` of {alias} must be an object of Java client keys")
    settings = {str(key): str(value) for key, value in client.items()}
    return ClusterClient(alias=alias, bootstrap=tuple(server.strip() for server in servers), client=settings)
