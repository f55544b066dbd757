"""The clusters that this system's drivers and metrics serve."""

from collections.abc import Mapping

from replication.config.files.findings import Findings, nearest
from replication.config.files.levels import Levels
from replication.config.flows.model import FlowDefinition, ManagerSettings, Property
from replication.domain.settings.registry.manager import (
    ADVERTISEMENT_FACTOR,
    DRIVER_TARGETS,
    REMOTE_TARGETS,
    SERVICE_TARGETS,
)


def read_manager(levels: Levels, findings: Findings) -> ManagerSettings:
    """Return the settings of the system; an alias that is not in `clusters` is an error."""
    for setting in (DRIVER_TARGETS, SERVICE_TARGETS, REMOTE_TARGETS):
        prop = levels.top.get(setting.key)
        _check_aliases(prop, () if prop is None else setting.parse(prop.value), levels, findings)
    return manager_settings({key: prop.value for key, prop in levels.top.items()})


def manager_settings(given: Mapping[str, str]) -> ManagerSettings:
    """Return the settings in these properties without a prefix; a number that others report counts as not given."""
    return ManagerSettings(
        driver_targets=DRIVER_TARGETS.read(given),
        service_targets=SERVICE_TARGETS.read(given),
        remote_targets=REMOTE_TARGETS.read(given),
        advertisement_factor=ADVERTISEMENT_FACTOR.parse_or_default(given.get(ADVERTISEMENT_FACTOR.key)),
    )


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
