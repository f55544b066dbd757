"""The target cluster of the V1 API. V1 names none in its paths: it is that of the service which answers."""

from replication.domain.settings.registry.manager import SERVICE_TARGETS
from srm_service.configuration.selectors import system_settings
from srm_service.flows.selectors import reported_targets


class NoFixedTargetError(Exception):
    """The service has no target cluster, or several; the text has the remedy."""


def fixed_target() -> str:
    """Return the first of the service's targets that it names, or else its only one. Raises NoFixedTargetError."""
    reported = reported_targets()
    named = [target for target in system_settings().service_targets if target in reported]
    targets = named[:1] or sorted(reported)
    if len(targets) == 1:
        return targets[0]
    if not targets:
        raise NoFixedTargetError("this service has no target cluster yet: GET /api/v2/replications lists its flows")
    raise NoFixedTargetError(
        f"this service has several target clusters ({', '.join(targets)}), and V1 has one: "
        f"name it first in {SERVICE_TARGETS.key}, or use V2, where the path names the target"
    )
