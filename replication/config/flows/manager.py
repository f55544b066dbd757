"""The clusters that this system's drivers and metrics serve."""

from replication.config.files.findings import Findings, nearest
from replication.config.files.levels import Levels
from replication.config.flows.model import FlowDefinition, ManagerSettings
from replication.domain.settings.registry.manager import DRIVER_TARGETS, SERVICE_TARGETS
from replication.domain.settings.setting import Setting


def read_manager(levels: Levels, findings: Findings) -> ManagerSettings:
    """Return the settings of the system; an alias that is not in `clusters` is an error."""
    return ManagerSettings(
        driver_targets=_aliases(DRIVER_TARGETS, levels, findings),
        service_targets=_aliases(SERVICE_TARGETS, levels, findings),
    )


def is_driven(flow: FlowDefinition, manager: ManagerSettings, levels: Levels, findings: Findings) -> bool:
    """Return whether drivers of this system copy into the flow's target; report a flow that they do not."""
    if not manager.driver_targets or flow.target in manager.driver_targets:
        return True
    if flow.enabled:
        prop = levels.top[DRIVER_TARGETS.key]
        findings.note(prop, f"{flow.source}->{flow.target} is not copied here: add {flow.target} to copy it")
    return False


def _aliases(setting: Setting[tuple[str, ...]], levels: Levels, findings: Findings) -> tuple[str, ...]:
    prop = levels.top.get(setting.key)
    aliases = () if prop is None else setting.parse(prop.value)
    for alias in aliases:
        if prop is not None and alias not in levels.aliases:
            findings.error(prop, f"there is no cluster {alias!r} in clusters{nearest(alias, levels.aliases)}")
    return aliases
