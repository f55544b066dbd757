"""The target cluster of the V1 API. V1 names none in its paths: it is that of the service which answers."""

from django.conf import settings

from srm_service.clusters.selectors import counted_aliases
from srm_service.monitoring.contracts import Overview


class NoFixedTargetError(Exception):
    """The service has no target cluster, or several; the text has the remedy."""


def fixed_target(now: Overview) -> str:
    """Return `SRM_V1_TARGET`, or else the only target cluster that the service reports. Raises NoFixedTargetError."""
    if settings.SRM_V1_TARGET:
        return str(settings.SRM_V1_TARGET)
    written = {flow.target for flow in now.flows}
    targets = sorted(written & counted_aliases()) or sorted(written)
    if len(targets) == 1:
        return targets[0]
    if not targets:
        raise NoFixedTargetError("this service has no target cluster yet: GET /api/v2/replications lists its flows")
    raise NoFixedTargetError(
        f"this service has several target clusters ({', '.join(targets)}), and V1 has one: "
        "set SRM_V1_TARGET to one of them, or use V2, where the path names the target"
    )
