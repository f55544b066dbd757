"""Writes the clusters into the targets file of this host's metrics process (docs/contracts/state-folder.md).

The file is written only when `srm up` has created the folder; operators provide it for metrics processes elsewhere.
"""

import json
import os
from pathlib import Path

import structlog
from django.conf import settings

from srm_service.clusters.selectors import cluster_access
from srm_service.flows.models import Flow

_log = structlog.get_logger(__name__)


def write_metrics_targets() -> bool:
    """Write the file if its content has changed; returns True when it was written. Without flows the list is empty."""
    path = Path(settings.SRM_HOME) / "metrics" / "targets.json"
    pairs = list(Flow.objects.values_list("source__alias", "target__alias"))
    if not path.parent.is_dir():
        return False
    targets = {target for _, target in pairs}
    access = cluster_access({alias for pair in pairs for alias in pair})
    document = [
        {
            "target": alias,
            "bootstrap": list(cluster.bootstrap),
            "client": {**cluster.client, **cluster.secrets},
            "counted": alias in targets and cluster.is_counted,
        }
        for alias, cluster in sorted(access.items())
    ]
    text = json.dumps(document, indent=1)
    if _content(path) == document or (targets and not targets & access.keys()):
        return False
    try:
        _replace(path, text)
    except OSError as error:
        _log.warning("metrics targets file cannot be written", path=str(path), error=error.strerror)
        return False
    return True


def _content(path: Path) -> object:
    """The content of the file sorted by alias; None when it cannot be parsed."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return sorted(content, key=lambda entry: str(entry["target"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _replace(path: Path, text: str) -> None:
    """Replace the file atomically; it holds credentials, so only its owner can ever read it."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.unlink(missing_ok=True)
    with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as target:
        target.write(text)
    scratch.replace(path)
