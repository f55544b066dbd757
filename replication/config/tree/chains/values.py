"""A value in force and the values that lost against it."""

from dataclasses import dataclass
from typing import Literal

from replication.config.flows.model import Level
from replication.config.settings.places import FlowClient
from replication.domain.settings.setting import Effect

KeyEffect = Effect | Literal["connection", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLink:
    """One property of a chain: `key` as it is written, `note` with what there is to say about it."""

    level: Level
    key: str
    value: str
    origin: str
    note: str = ""
    has_effect: bool = True  # False: the level or the prefix is not read for this key


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveValue:
    """The value of a key for one client of a flow; `beaten` is strongest first.

    `value` is None if neither the tree nor a default has one. `key` is empty for a default. `why` says why a key has no
    effect here. Values keep their `${provider:...}` expressions; one with `is_secret` must not be shown.
    """

    client: FlowClient
    name: str
    value: str | None
    level: Level
    key: str = ""
    origin: str = ""
    note: str = ""
    beaten: tuple[ChainLink, ...] = ()
    effect: KeyEffect = "none"
    why: str = ""
    is_secret: bool = False
