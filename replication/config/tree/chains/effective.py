"""Every key of a flow with its value in force, for each client, and the chain of values that lost."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from replication.config.files.dialects import KAFKA4_DEFAULTS, default_of
from replication.config.files.findings import nearest, nearest_key
from replication.config.security.secrets import is_secret_name
from replication.config.settings.client_keys import CLIENT_KEYS, ClientKind, client_key, client_names
from replication.config.settings.places import FLOW_CLIENTS, SIDES, FlowClient, client_of
from replication.config.settings.prefixes import is_connection_key
from replication.config.tree.chains.owners import KAFKA_CLIENTS, Claim, claims_of
from replication.config.tree.chains.values import ChainLink, EffectiveValue, KeyEffect
from replication.config.tree.files import has_levels
from replication.config.tree.operator.resource_keys import is_resource_key
from replication.config.tree.placing import place_of
from replication.config.tree.properties import TREE_LEVELS, PropertyPlace, PropertyTree, TreeProperty
from replication.config.tree.resolution import aliases_of, remarks
from replication.domain.identifiers import FlowId
from replication.domain.settings.delivery import delivery_of, required_isolation
from replication.domain.settings.registry.all_settings import SETTINGS, find_setting
from replication.domain.settings.registry.clients import ISOLATION_LEVEL
from replication.domain.settings.registry.flow import EMIT_HEARTBEATS, ENABLED, EXACTLY_ONCE
from replication.domain.settings.registry.manager import DRIVER_TARGETS
from replication.domain.settings.registry.records import TRANSFORMS
from replication.domain.settings.registry.topic_filters import INTERNAL_TOPICS_RULE
from replication.domain.settings.setting import Setting

_Key = tuple[FlowClient, str]
_Values = dict[_Key, EffectiveValue]
_KINDS: Mapping[FlowClient, ClientKind] = {
    "consumer": "consumer",
    "producer": "producer",
    "source-admin": "admin",
    "target-admin": "admin",
}
_NO_EFFECT = "has no effect on this level or below this prefix"
_RAW = "record batches are copied as they are"


def effective_values(tree: PropertyTree, flow: FlowId, *, only_set: bool = False) -> tuple[EffectiveValue, ...]:
    """Return the value in force of every key for each client of a flow, by client and name.

    `only_set`: skip keys that no property of the tree sets.
    """
    chains = _chains(tree, flow)
    found = {key: _value(key, chains.get(key, []), tree.dialect) for key in {*_known_keys(), *chains}}
    _apply_rules(found, flow)
    if only_set:
        found = {key: value for key, value in found.items() if key in chains}
    return tuple(found[key] for key in sorted(found, key=lambda key: (FLOW_CLIENTS.index(key[0]), key[1])))


def _chains(tree: PropertyTree, flow: FlowId) -> Mapping[_Key, list[ChainLink]]:
    """Return the links of each key, strongest first, those without effect last."""
    notes = remarks(tree)
    levels = has_levels(tree.dialect)
    aliases = aliases_of(tree)
    ranked: dict[_Key, list[tuple[int, int, ChainLink]]] = defaultdict(list)
    for at, prop in enumerate(tree.properties):
        place = _placed_again(prop.place, aliases, levels=levels)
        for claim in claims_of(place, flow, dialect=tree.dialect):
            link = _link(prop, place, claim, notes)
            order = _order(claim, place)
            ranked[claim.client, claim.name].append((order, -at, link))
    return {key: [link for *_, link in sorted(links, key=lambda each: each[:2])] for key, links in ranked.items()}


def _placed_again(place: PropertyPlace, aliases: tuple[str, ...], *, levels: bool) -> PropertyPlace:
    return place_of(place.name, aliases=aliases, has_levels=levels) if place.level == "global" else place


def _link(prop: TreeProperty, place: PropertyPlace, claim: Claim, notes: Mapping[str, str]) -> ChainLink:
    has_effect = claim.rank is not None
    note = notes.get(prop.place.key, "" if has_effect else _NO_EFFECT)
    return ChainLink(
        level=place.level,
        key=prop.place.key,
        value=prop.value.strip(),
        origin=prop.origin,
        note=note,
        has_effect=has_effect,
    )


def _order(claim: Claim, place: PropertyPlace) -> int:
    """Those that count come by rank, the present spelling before the old one; the others by level behind them."""
    is_old = not place.name.endswith(claim.name)
    if claim.rank is not None:
        return 2 * claim.rank + is_old
    return 1_000 - TREE_LEVELS.index(place.level)


def _known_keys() -> set[_Key]:
    """Return all keys of the registry and of Kafka's clients."""
    known = {_key_of(setting) for setting in SETTINGS}
    for row in CLIENT_KEYS:
        clients = KAFKA_CLIENTS if row.kind == "connection" else [each for each in SIDES if _KINDS[each] == row.kind]
        known |= {(client, row.name) for client in clients}
    return known


def _key_of(setting: Setting[object]) -> _Key:
    client = client_of(setting.role)
    return client, setting.key.removeprefix(f"{client}.") if client in SIDES else setting.key


def _value(key: _Key, links: list[ChainLink], dialect: str) -> EffectiveValue:
    client, name = key
    effect, why = effect_of(client, name)
    is_secret = is_secret_name(name)
    if links and links[0].has_effect:
        winner, *beaten = links
        return EffectiveValue(
            client=client,
            name=name,
            value=winner.value,
            level=winner.level,
            key=winner.key,
            origin=winner.origin,
            note=winner.note,
            beaten=tuple(beaten),
            effect=effect,
            why=why,
            is_secret=is_secret,
        )
    return EffectiveValue(
        client=client,
        name=name,
        value=_default(client, name, dialect),
        level="default",
        beaten=tuple(links),
        effect=effect,
        why=why,
        is_secret=is_secret,
    )


def _default(client: FlowClient, name: str, dialect: str) -> str | None:
    setting = _setting(client, name)
    return None if setting is None else default_of(setting, dialect)


def _setting(client: FlowClient, name: str) -> Setting[object] | None:
    return find_setting(f"{client}.{name}" if client in SIDES else name)


def effect_of(client: FlowClient, name: str) -> tuple[KeyEffect, str]:
    """Return the effect of a key, and why it has none."""
    setting = _setting(client, name)
    if setting is not None:
        return setting.effect, setting.why
    if client not in SIDES:
        if name.startswith(f"{TRANSFORMS}."):
            return TRANSFORMS.effect, ""
        if is_resource_key(name):
            return "none", "it is a part of a resource of the operator"
        return "unknown", f"is not a known key{nearest_key(name)}"
    if is_connection_key(name):
        return "connection", ""
    row = client_key(_KINDS[client], name)
    if row is not None:
        return row.effect, row.why
    hint = nearest(name, client_names(_KINDS[client]))
    return ("unknown", f"is not a known key{hint}") if hint else ("none", _RAW)


def _apply_rules(found: _Values, flow: FlowId) -> None:
    """Values that follow from other settings."""
    rule = found.get(("flow", INTERNAL_TOPICS_RULE.key))
    for name, text in KAFKA4_DEFAULTS.items():
        value = found.get(("flow", name))
        if rule is not None and rule.value == "kafka4" and value is not None and value.level == "default":
            found["flow", name] = replace(value, value=text, note=f"the default of {rule.name} = {rule.value}")
    support = found.get(("worker", EXACTLY_ONCE.key))
    isolation = (
        None if support is None else required_isolation(delivery_of(EXACTLY_ONCE.parse_or_default(support.value)))
    )
    if support is not None and isolation is not None:
        note = "exactly-once flows read committed records only"
        _override(found, _key_of(ISOLATION_LEVEL), support, isolation, note)
    targets = found.get(("manager", DRIVER_TARGETS.key))
    aliases = DRIVER_TARGETS.parse_or_default(None if targets is None else targets.value)
    if targets is not None and aliases and flow.target not in aliases:
        note = f"the drivers of this system do not copy into {flow.target}"
        for setting in (ENABLED, EMIT_HEARTBEATS):
            _override(found, _key_of(setting), targets, "false", note)


def _override(found: _Values, key: _Key, by: EffectiveValue, value: str, note: str) -> None:
    """Put another setting's property at the top of a chain."""
    given = found.get(key)
    if given is None or given.value == value:
        return
    own = ChainLink(level=given.level, key=given.key, value=given.value or "", origin=given.origin, note=given.note)
    beaten = given.beaten if given.level == "default" else (own, *given.beaten)
    found[key] = replace(given, value=value, level=by.level, key=by.key, origin=by.origin, note=note, beaten=beaten)
