"""Checks each property separately: its key is known, has an effect at its level, and holds an allowed value."""

from collections.abc import Mapping

from replication.config.files.findings import Findings, nearest, nearest_key
from replication.config.files.levels import Layer, Levels
from replication.config.flows.model import Level, Property
from replication.config.settings.client_keys import ClientKind, client_key, client_names, connection_values
from replication.config.settings.prefixes import (
    BOOTSTRAP,
    CLIENT_PREFIXES,
    SILENT_PREFIXES,
    SOURCE_CLUSTER,
    TARGET_CLUSTER,
    find_key,
    is_client_security,
    is_connection_key,
)
from replication.domain.settings.registry.all_settings import find_setting
from replication.domain.settings.registry.clients import PRODUCER_COMPRESSION
from replication.domain.settings.registry.flow import ENABLED
from replication.domain.settings.registry.records import TRANSFORMS
from replication.domain.settings.setting import Setting
from replication.domain.settings.setting_error import SettingError

_SRM_LEVELS = ("workers.", "connectors.", "worker.")
_WORKER = "worker."
_GLOBAL_WINS = ("offset.storage", "config.storage", "status.storage", "task.", "worker.")
_CLUSTER_KINDS: Mapping[str, ClientKind] = {SOURCE_CLUSTER: "consumer", TARGET_CLUSTER: "producer"}
_KINDS: tuple[ClientKind, ...] = ("consumer", "producer", "admin")


def review(levels: Levels, findings: Findings, *, has_levels: bool = False) -> None:
    """Report on all properties of all levels."""
    _review_layer(levels.top, "global", findings)
    _review_layer(levels.workers, "workers", findings)
    _review_layer(levels.connectors, "connectors", findings)
    for layer in levels.clusters.values():
        _review_layer(layer, "cluster", findings)
    for layer in levels.flows.values():
        _review_layer(_without_worker(layer) if has_levels else layer, "flow", findings)


def review_differences(levels: Levels, findings: Findings) -> None:
    """Report where MirrorMaker prefers another level: the more special one wins here, as in the replication manager."""
    for alias, layer in levels.clusters.items():
        for name, prop in layer.items():
            beaten = levels.top.get(name)
            if beaten is not None and name.startswith(_GLOBAL_WINS):
                findings.note(prop, f"beats {name} of line {beaten.line}; in MirrorMaker the one without prefix wins")
        for flow, own in levels.flows.items():
            for name, prop in own.items():
                is_source = flow.source == alias and name.startswith("consumer.")
                is_target = flow.target == alias and name.startswith("producer.")
                beaten = layer.get(name) if is_source or is_target else None
                if beaten is not None:
                    findings.note(prop, f"beats {beaten.key} of line {beaten.line}; in MirrorMaker that one wins")


def _without_worker(layer: Layer) -> Layer:
    """`<source>-><target>.worker.` keys are worker keys of the flow."""
    return {name.removeprefix(_WORKER): prop for name, prop in layer.items()}


def _review_layer(layer: Layer, level: Level, findings: Findings) -> None:
    for name, prop in layer.items():
        setting = find_key(name)
        if setting is not None:
            _review_known(setting, prop, level, findings)
        elif not _review_client(name, prop, level, findings):
            _review_other(name, prop, level, findings)


def _review_known(setting: Setting[object], prop: Property, level: Level, findings: Findings) -> None:
    _check_value(setting, prop, findings)
    misplaced = _misplaced(setting, level)
    if misplaced is not None:
        findings.warning(prop, f"has no effect: {misplaced}")
    elif setting.effect == "none":
        findings.note(prop, f"is read, but has no effect here: {setting.why}")


def _misplaced(setting: Setting[object], level: Level) -> str | None:
    name = setting.key
    if setting.role == "manager" and level != "global":
        return f"{name} works without a prefix only"
    if level == "cluster" and setting.role != "worker":
        return f"a cluster's prefix is for its clients; write {name} or <source>-><target>.{name}"
    if level == "workers" and setting.role != "worker":
        return f"{name} is a connector's key; write connectors.{name}"
    if level == "connectors" and setting.role == "worker":
        return f"{name} is a worker's key; write workers.{name}"
    if level in ("global", "connectors") and name == ENABLED.key:
        return f"a flow is enabled by <source>-><target>.{ENABLED}"
    return None


def _review_client(name: str, prop: Property, level: Level, findings: Findings) -> bool:
    """Return whether the key is a Kafka client's; report those without effect."""
    if is_connection_key(name):
        if level not in ("cluster", "global"):
            findings.warning(prop, "has no effect: all flows reach a cluster the same way; write it below <alias>.")
        elif level == "global" and name == BOOTSTRAP:
            findings.warning(prop, "has no effect: write <alias>.bootstrap.servers for each cluster")
        elif not is_client_security(name):
            _check_connection(name, prop, findings)
        return True
    prefix = next((known for known in CLIENT_PREFIXES if name.startswith(known)), None)
    if prefix is not None:
        _review_prefixed(prefix, name, prop, level, findings)
        return True
    row = client_key("connection", name)
    if row is not None:
        findings.note(prop, f"is read, but has no effect here: {row.why}")
    return row is not None


def _review_prefixed(prefix: str, name: str, prop: Property, level: Level, findings: Findings) -> None:
    setting = name.removeprefix(prefix)
    kind = _kind_of(prefix)
    row = client_key(kind, setting)
    if is_connection_key(setting):
        text = "is read, but has no effect here: a cluster is reached in one way; write it as <alias>."
        findings.note(prop, text + setting)
    elif kind == "consumer" and row is not None and row.effect == "engine":
        _review_consumer(prefix, setting, prop, level, findings)
    elif f"producer.{setting}" == PRODUCER_COMPRESSION.key and _is_target_producer(prefix, level):
        _check_value(PRODUCER_COMPRESSION, prop, findings)
    elif row is not None and row.why:
        findings.note(prop, f"is read, but has no effect here: {row.why}")
    elif row is None and (hint := nearest(setting, client_names(kind))):
        findings.warning(prop, f"is not a known key of this client{hint}")
    else:
        findings.note(prop, "is read, but has no effect here: record batches are copied as they are")
    if prefix in _CLUSTER_KINDS and not is_connection_key(setting):
        findings.note(prop, "MirrorMaker ignores this key: below this prefix it takes keys of the connection only")


def _kind_of(prefix: str) -> ClientKind:
    """Return the kind of client that a prefix means; a cluster's prefix means the one that handles its records."""
    if prefix in _CLUSTER_KINDS:
        return _CLUSTER_KINDS[prefix]
    return next(kind for kind in _KINDS if kind in prefix)


def _is_target_producer(prefix: str, level: Level) -> bool:
    """Return whether the resolver reads the producer's settings from this place."""
    if prefix == "producer.":
        return level in ("flow", "cluster", "workers")
    return prefix == "producer.override." or (prefix in ("target.producer.", TARGET_CLUSTER) and level == "flow")


def _review_consumer(prefix: str, setting: str, prop: Property, level: Level, findings: Findings) -> None:
    """Check the value where the resolver reads the consumer's settings; elsewhere report that it has no effect."""
    if prefix == "source.consumer." and level in ("cluster", "global"):
        findings.note(prop, f"is read, but has no effect here: write <alias>.consumer.{setting}")
        return
    is_of_flow = prefix == SOURCE_CLUSTER and level == "flow"
    if not (is_of_flow or prefix in ("consumer.", "source.consumer.")) or level == "workers":
        findings.note(prop, f"is read, but has no effect here: write <source>-><target>.consumer.{setting}")
        return
    if level == "global":
        findings.warning(prop, f"has no effect without a prefix; write <source>-><target>.consumer.{setting}")
        return
    declared = find_setting(f"consumer.{setting}")
    if declared is not None:
        _check_value(declared, prop, findings)


def _check_value(setting: Setting[object], prop: Property, findings: Findings) -> None:
    try:
        setting.parse(prop.value)
    except SettingError as error:
        findings.error(prop, error.problem)


def _check_connection(name: str, prop: Property, findings: Findings) -> None:
    values = connection_values(name)
    if values is None:
        return
    try:
        values.parse(prop.value.strip())
    except ValueError:
        findings.error(prop, f"must be {values.allowed}, not {prop.value.strip()!r}")


def _review_other(name: str, prop: Property, level: Level, findings: Findings) -> None:
    if name.startswith(_SRM_LEVELS):
        findings.warning(
            prop,
            "has no effect: workers., connectors. and .worker. are not part of mm2 properties, but of the srm dialect",
        )
    elif name.startswith(f"{TRANSFORMS}.") and level in ("flow", "connectors", "global"):
        return  # checked as a whole, with the list of transforms
    elif name.startswith(SILENT_PREFIXES):
        findings.note(prop, "is read, but has no effect here")
    else:
        findings.warning(prop, f"is not a known key{nearest_key(name)}")
