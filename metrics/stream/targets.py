"""Reads the targets file: clusters whose raw metrics are counted, and clusters that only jobs read."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metrics.errors import MetricsConfigError
from replication.domain.plan.slot import ClusterClient

# How to reach a cluster whose raw metrics are counted, or which a job reads: alias, bootstrap, client.
MetricsTarget = ClusterClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """The contents of a targets file."""

    known: Mapping[str, MetricsTarget] = field(default_factory=dict)
    counted: tuple[str, ...] = ()  # aliases whose raw metrics this process counts and whose jobs it takes

    @property
    def targets(self) -> tuple[MetricsTarget, ...]:
        return tuple(self.known[alias] for alias in self.counted)


class TargetsFile:
    """The file, read again when it changes: clusters come and go while the process runs."""

    def __init__(self, path: Path, only: Collection[str] = ()) -> None:
        self._path = path
        self._only = only
        self._seen: tuple[int, int] | None = None

    def changed(self) -> Clusters | None:
        """Return the content if it is new since the last call. Raises MetricsConfigError once per broken version."""
        try:
            found = self._path.stat()
        except OSError:
            return None  # replaced this very moment, or gone: the known targets stay
        seen = (found.st_mtime_ns, found.st_size)
        if seen == self._seen:
            return None
        self._seen = seen
        return read_clusters(self._path, self._only)


def read_clusters(path: Path, only: Collection[str] = ()) -> Clusters:
    """Return all clusters of the file; the named targets, or all, are counted. The list may be empty.

    Raises MetricsConfigError with the remedy.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MetricsConfigError(f"cannot read targets file {path}: {error.strerror}; `srm up` writes it") from error
    except ValueError as error:
        raise MetricsConfigError(f"targets file {path} is no JSON: {error}") from error
    if not isinstance(content, list):
        raise MetricsConfigError(f"targets file {path} must be a list of targets")
    entries = [_target(entry, f"{path} entry {index}") for index, entry in enumerate(content)]
    aliases = [cluster.alias for cluster, _ in entries]
    if len(set(aliases)) < len(aliases):
        raise MetricsConfigError(f"targets file {path} names a target twice: {', '.join(sorted(aliases))}")
    targets = [cluster.alias for cluster, counted in entries if counted]
    unknown = sorted(set(only) - set(targets))
    if unknown:
        raise MetricsConfigError(f"no target {unknown[0]} in {path}; it has {', '.join(sorted(targets)) or 'none'}")
    counted = tuple(alias for alias in targets if not only or alias in only)
    return Clusters(known={cluster.alias: cluster for cluster, _ in entries}, counted=counted)


def _target(entry: Any, where: str) -> tuple[MetricsTarget, bool]:  # Any: any JSON value
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
    cluster = MetricsTarget(alias=alias, bootstrap=tuple(server.strip() for server in servers), client=settings)
    return cluster, entry.get("counted") is not False
