"""Dialects of property files: the same keys with other defaults and other rules for prefixes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What a kind of file means where it says nothing."""

    name: str
    topics: str
    topics_exclude: str
    groups: str
    groups_exclude: str


# internal topics are left out by rule as well, whatever `topics.exclude` says
MM2 = Dialect(
    name="mm2",
    topics=".*",
    topics_exclude=r".*[\-\.]internal, .*\.replica, __.*",
    groups=".*",
    groups_exclude="console-consumer-.*, connect-.*, __.*",
)

DIALECTS = {dialect.name: dialect for dialect in (MM2,)}
