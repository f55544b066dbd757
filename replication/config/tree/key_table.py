"""The table of all known keys, derived from the registry of settings and the keys of Kafka's clients."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from replication.config.files.dialects import default_of
from replication.config.files.levels import works_without_prefix
from replication.config.security.secrets import is_secret_name
from replication.config.settings.client_keys import CLIENT_KEYS, ClientKey, ClientKind, connection_values
from replication.config.settings.client_texts import CLIENT_TEXTS, ClientText
from replication.config.settings.places import CONNECTION_SPOTS, SIDES, FlowClient, Spot, client_of, spots_of
from replication.config.settings.prefixes import BOOTSTRAP, OLD_SPELLINGS, SECURITY_KEYS
from replication.config.tree.chains.values import KeyEffect
from replication.config.tree.files import has_levels
from replication.config.tree.properties import TREE_LEVELS, TreeLevel
from replication.domain.settings.registry.all_settings import SETTINGS
from replication.domain.settings.setting import Change, Setting
from replication.domain.settings.value_types import SettingKind

KeyOwner = Literal["manager", "flow", "worker", "consumer", "producer", "admin", "connection"]
_OF_CLIENTS: dict[ClientKind, FlowClient] = {"consumer": "consumer", "producer": "producer", "admin": "source-admin"}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow:
    """One key: `levels` are those on which it works in a dialect, weakest first; `why` says why it has no effect.

    `default` is None if there is none, and for keys of clients without effect. `change` says whether running slots take
    a new value or restart; None for keys that reach no slot.
    """

    key: str
    owner: KeyOwner
    kind: SettingKind
    allowed: str
    effect: KeyEffect
    levels: tuple[TreeLevel, ...]
    default: str | None = None
    choices: tuple[str, ...] = ()
    description: str = ""
    why: str = ""
    change: Change | None = None
    is_secret: bool = False
    old_spellings: tuple[str, ...] = ()


def key_table(dialect: str = "srm") -> tuple[KeyRow, ...]:
    """Return all known keys by owner and name, with the levels of this dialect."""
    rows = {row.key: row for row in (*_settings(dialect), *_clients(dialect))}
    return tuple(sorted(rows.values(), key=lambda row: (row.owner, row.key)))


def _settings(dialect: str) -> Iterator[KeyRow]:
    for setting in SETTINGS:
        client = client_of(setting.role)
        name = setting.key.removeprefix(f"{client}.") if client in SIDES else setting.key
        yield KeyRow(
            key=setting.key,
            owner=_owner(setting),
            kind=setting.values.kind,
            allowed=setting.values.allowed,
            effect=setting.effect,
            levels=_levels(spots_of(client, name), setting.key, dialect),
            default=default_of(setting, dialect),
            choices=setting.values.choices,
            description=setting.doc,
            why=setting.why,
            change=None if setting.effect == "none" else setting.change,
            is_secret=is_secret_name(setting.key),
            old_spellings=tuple(old for old, present in OLD_SPELLINGS.items() if present == setting.key),
        )


def _owner(setting: Setting[object]) -> KeyOwner:
    return setting.role if setting.role in ("manager", "worker", "consumer", "producer") else "flow"


def _clients(dialect: str) -> Iterator[KeyRow]:
    for row in CLIENT_KEYS:
        if row.effect != "engine":  # those are settings
            yield _client_row(row, dialect)
    for name in SECURITY_KEYS:
        yield _client_row(ClientKey(name, "connection", "connection"), dialect)


def _client_row(row: ClientKey, dialect: str) -> KeyRow:
    is_common = row.kind == "connection"
    key = row.name if is_common else f"{row.kind}.{row.name}"
    values = connection_values(row.name) if is_common else None
    text = CLIENT_TEXTS[row.name]
    spots = CONNECTION_SPOTS["source"] if is_common else spots_of(_OF_CLIENTS[row.kind], row.name)
    return KeyRow(
        key=key,
        owner=row.kind,
        kind=text.kind,
        allowed=_allowed(text) if values is None else values.allowed,
        effect=row.effect,
        levels=_levels(spots[:1] if row.name == BOOTSTRAP else spots, key, dialect),
        default=text.default,
        choices=text.choices,
        description=text.doc,
        why=row.why,
        is_secret=is_secret_name(row.name),
    )


def _allowed(text: ClientText) -> str:
    return f"one of {', '.join(text.choices)}" if text.choices else "as Kafka's clients take it"


def _levels(spots: tuple[Spot, ...], key: str, dialect: str) -> tuple[TreeLevel, ...]:
    """Return the levels of these spots that the dialect reads; a prefix of the spot is a part of the key there."""
    found = {spot.level for spot in spots}
    if not has_levels(dialect):
        found -= {"workers", "connectors"}
    elif not works_without_prefix(key):
        found -= {"global"}
    return tuple(level for level in TREE_LEVELS if level in found)
