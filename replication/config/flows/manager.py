"""The clusters that this system's drivers and metrics serve."""

from replication.config.files.findings import Findings, nearest
from replication.config.files.levels import Levels
from replication.config.flows.model import FlowDefinition, ManagerSettings, Property
from replication.domain.settings.registry.manager import DRIVER_TARGETS, SERVICE_TARGETS


def read_manager(levels: Levels, findings: Findings) -> ManagerSettings:
    """Return the settings of the system; an alias that is not in `clusters` is an error."""
    given = {key: prop.value for key, prop in levels.top.items()}
    manager = ManagerSettings(driver_targets=DRIVER_TARGETS.read(given), service_targets=SERVICE_TARGETS.read(given))
    _check_aliases(levels.top.get(DRIVER_TARGETS.key), manager.driver_targets, levels, findings)
    _check_aliases(levels.top.get(SERVICE_TARGETS.key), manager.service_targets, levels, findings)
    return manager


def is_driven(flow: FlowDefinition, manager: ManagerSettings, levels: Levels, findings: Findings) -> bool:
    """Return whether drivers of this system copy into the flow's target; report a flow that they do not."""
    if not manager.driver_targets or flow.target in manager.driver_targets:
        return True
    if flow.enabled:
        prop = levels.top[DRIVER_TARGETS.key]
        findings.note(prop, f"{flow.source}->{flow.target} is not copied here: add {flow.target} to copy it")
    return False


def _check_aliases(prop: Property | None, aliases: tuple[str, ...], levels: Levels, findings: Findings) -> None:
    for alias in aliases:
        if prop is not None and alias not in levels.aliases:
            findings.error(prop, f"there is no cluster {alias!r} in clusters{nearest(alias, levels.aliases)}")
