"""Looks at every property by itself: is the key known, does it do anything at its level, is the value sound?"""

from replication.config.findings import Findings, nearest_key
from replication.config.keys import (
    CLIENT_PREFIXES,
    OTHER_CLIENT_KEYS,
    SILENT_PREFIXES,
    KeySpec,
    find_key,
    is_client_security,
)
from replication.config.levels import Layer, Levels
from replication.config.model import Level, Property
from replication.config.values import check_value

_EFFECTIVE_CONSUMER_KEYS = ("isolation.level", "auto.offset.reset")
_SRM_LEVELS = ("workers.", "connectors.", "worker.")


def review(levels: Levels, findings: Findings) -> None:
    """Report on all properties of all levels."""
    _review_layer(levels.top, "global", findings)
    for layer in levels.clusters.values():
        _review_layer(layer, "cluster", findings)
    for layer in levels.flows.values():
        _review_layer(layer, "flow", findings)


def _review_layer(layer: Layer, level: Level, findings: Findings) -> None:
    for name, prop in layer.items():
        spec = find_key(name)
        if spec is not None:
            _review_known(spec, prop, level, findings)
        elif not _review_client(name, prop, level, findings):
            _review_other(name, prop, findings)


def _review_known(spec: KeySpec, prop: Property, level: Level, findings: Findings) -> None:
    check_value(spec, prop, findings)
    misplaced = _misplaced(spec, level)
    if misplaced is not None:
        findings.warning(prop, f"has no effect: {misplaced}")
    elif spec.effect == "none":
        findings.note(prop, f"is read, but has no effect here: {spec.why}")
    elif spec.effect == "not yet":
        findings.note(prop, f"is read, but has no effect yet: {spec.why}")


def _misplaced(spec: KeySpec, level: Level) -> str | None:
    name = spec.name
    if spec.role == "manager" and level != "global":
        return f"{name} works without a prefix only"
    if level == "cluster" and spec.role != "worker":
        return f"a cluster's prefix is for its clients; write {name} or <source>-><target>.{name}"
    if level == "global" and name == "enabled":
        return "a flow is enabled by <source>-><target>.enabled"
    return None


def _review_client(name: str, prop: Property, level: Level, findings: Findings) -> bool:
    """Whether the key is a Kafka client's; reports those without effect."""
    if is_client_security(name):
        if level == "flow":
            findings.warning(prop, "has no effect: all flows reach a cluster the same way; write it below <alias>.")
        elif level == "global" and name == "bootstrap.servers":
            findings.warning(prop, "has no effect: write <alias>.bootstrap.servers for each cluster")
        return True
    prefix = next((known for known in CLIENT_PREFIXES if name.startswith(known)), None)
    if prefix is not None:
        _review_prefixed(prefix, name, prop, level, findings)
        return True
    if name in OTHER_CLIENT_KEYS:
        findings.note(prop, "is read, but has no effect here: our clients have their own limits")
        return True
    return False


def _review_prefixed(prefix: str, name: str, prop: Property, level: Level, findings: Findings) -> None:
    setting = name.removeprefix(prefix)
    is_source_consumer = prefix == "consumer." or (prefix == "source.consumer." and level == "flow")
    if is_source_consumer and setting in _EFFECTIVE_CONSUMER_KEYS and level in ("flow", "cluster"):
        _review_consumer(setting, prop, findings)
    elif is_source_consumer and setting in _EFFECTIVE_CONSUMER_KEYS:
        findings.warning(prop, "has no effect without a prefix; write <source>-><target>." + name)
    elif is_client_security(setting):
        findings.note(prop, "is read, but has no effect here: a cluster has one identity; write it without the client")
    else:
        findings.note(prop, "is read, but has no effect here: record batches are copied as they are")


def _review_consumer(setting: str, prop: Property, findings: Findings) -> None:
    allowed = {
        "isolation.level": ("read_uncommitted", "read_committed"),
        "auto.offset.reset": ("earliest", "latest"),
    }[setting]
    if prop.value.strip() not in allowed:
        findings.error(prop, f"must be {' or '.join(allowed)}, not {prop.value.strip()!r}")


def _review_other(name: str, prop: Property, findings: Findings) -> None:
    if name.startswith(_SRM_LEVELS):
        findings.warning(prop, "has no effect: workers., connectors. and .worker. are not part of mm2 properties")
    elif name.startswith(SILENT_PREFIXES):
        findings.note(prop, "is read, but has no effect here")
    else:
        findings.warning(prop, f"is not a known key{nearest_key(name)}")
