"""Tells the metrics process of this host which clusters there are, in the file it reads (contracts.md section 12).

Only where `srm up` made the folder: a metrics process elsewhere is given its file by whoever runs it.
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
    """Whether the file was written; it is left alone when nothing changed, and while there is no flow."""
    path = Path(settings.SRM_HOME) / "metrics" / "targets.json"
    pairs = list(Flow.objects.values_list("source__alias", "target__alias"))
    if not pairs or not path.parent.is_dir():
        return False
    targets = {target for _, target in pairs}
    access = cluster_access({alias for pair in pairs for alias in pair})
    document = [
        {
            "target": alias,
            "bootstrap": list(cluster.bootstrap),
            "client": {**cluster.client, **cluster.secrets},
            "counted": alias in targets,
        }
        for alias, cluster in sorted(access.items())
    ]
    text = json.dumps(document, indent=1)
    if not any(entry["counted"] for entry in document) or _content(path) == document:
        return False
    try:
        _replace(path, text)
    except OSError as error:
        _log.warning("the metrics process is not told of changed clusters", path=str(path), error=error.strerror)
        return False
    return True


def _content(path: Path) -> object:
    """What the file says, in the order of aliases; None when it says nothing."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return sorted(content, key=lambda entry: str(entry["target"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _replace(path: Path, text: str) -> None:
    """In one step; it holds credentials, so nobody but its owner can read it at any moment."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.unlink(missing_ok=True)
    with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as target:
        target.write(text)
    scratch.replace(path)
