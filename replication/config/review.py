"""Looks at every property by itself: is the key known, does it do anything at its level, is the value sound?"""

from replication.config.client_keys import ClientKind, client_key
from replication.config.findings import Findings, nearest_key
from replication.config.keys import (
    CLIENT_PREFIXES,
    SILENT_PREFIXES,
    KeySpec,
    find_key,
    is_client_security,
    is_connection_key,
)
from replication.config.levels import Layer, Levels
from replication.config.model import Level, Property
from replication.config.values import check_value

_SRM_LEVELS = ("workers.", "connectors.", "worker.")
_WORKER = "worker."
_TEXTS = ("client.rack", "srm.protocol.version")
_GLOBAL_WINS = ("offset.storage", "config.storage", "status.storage", "task.", "worker.")
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
    """Where MirrorMaker would let another level win: the more special one wins here, as in the replication manager."""
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
        spec = find_key(name)
        if spec is not None:
            _review_known(spec, prop, level, findings)
        elif not _review_client(name, prop, level, findings):
            _review_other(name, prop, level, findings)


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
    if level == "workers" and spec.role != "worker":
        return f"{name} is a connector's key; write connectors.{name}"
    if level == "connectors" and spec.role == "worker":
        return f"{name} is a worker's key; write workers.{name}"
    if level in ("global", "connectors") and name == "enabled":
        return "a flow is enabled by <source>-><target>.enabled"
    return None


def _review_client(name: str, prop: Property, level: Level, findings: Findings) -> bool:
    """Whether the key is a Kafka client's; reports those without effect."""
    if is_connection_key(name):
        if level not in ("cluster", "global"):
            findings.warning(prop, "has no effect: all flows reach a cluster the same way; write it below <alias>.")
        elif level == "global" and name == "bootstrap.servers":
            findings.warning(prop, "has no effect: write <alias>.bootstrap.servers for each cluster")
        elif not is_client_security(name) and name not in _TEXTS:
            _check_number(prop, findings)
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
    kind = next((kind for kind in _KINDS if kind in prefix), None)
    row = client_key(kind or "connection", setting)
    if is_connection_key(setting):
        text = "is read, but has no effect here: a cluster is reached in one way; write it as <alias>."
        findings.note(prop, text + setting)
    elif kind == "consumer" and row is not None and row.effect == "engine":
        _review_consumer(prefix, setting, prop, level, findings)
    elif setting == "compression.type" and _is_target_producer(prefix, level):
        return  # its value is checked where it is used
    elif row is not None and row.why:
        findings.note(prop, f"is read, but has no effect here: {row.why}")
    else:
        findings.note(prop, "is read, but has no effect here: record batches are copied as they are")


def _is_target_producer(prefix: str, level: Level) -> bool:
    """The places `Resolver.producer_setting` looks at."""
    if prefix == "producer.":
        return level in ("flow", "cluster", "workers")
    return prefix == "producer.override." or (prefix == "target.producer." and level == "flow")


def _review_consumer(prefix: str, setting: str, prop: Property, level: Level, findings: Findings) -> None:
    """The places `Resolver.consumer_setting` looks at, and what may stand there."""
    if prefix == "source.consumer." and level in ("cluster", "global"):
        findings.note(prop, f"is read, but has no effect here: write <alias>.consumer.{setting}")
        return
    if prefix not in ("consumer.", "source.consumer.") or level == "workers":
        findings.note(prop, f"is read, but has no effect here: write <source>-><target>.consumer.{setting}")
        return
    if level == "global":
        findings.warning(prop, f"has no effect without a prefix; write <source>-><target>.consumer.{setting}")
        return
    row = client_key("consumer", setting)
    allowed = row.values if row is not None else ()
    if not allowed:
        _check_number(prop, findings)
    elif prop.value.strip() not in allowed:
        findings.error(prop, f"must be {' or '.join(allowed)}, not {prop.value.strip()!r}")


def _check_number(prop: Property, findings: Findings) -> None:
    text = prop.value.strip()
    if not text.removeprefix("-").isdigit() or int(text) < -1:
        findings.error(prop, f"must be a whole number, not {text!r}")


def _review_other(name: str, prop: Property, level: Level, findings: Findings) -> None:
    if name.startswith(_SRM_LEVELS):
        findings.warning(
            prop,
            "has no effect: workers., connectors. and .worker. are not part of mm2 properties, but of the srm dialect",
        )
    elif name.startswith("transforms.") and level in ("flow", "connectors", "global"):
        return  # checked as a whole, with the list of transforms
    elif name.startswith(SILENT_PREFIXES):
        findings.note(prop, "is read, but has no effect here")
    else:
        findings.warning(prop, f"is not a known key{nearest_key(name)}")
