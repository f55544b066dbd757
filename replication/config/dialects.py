"""Dialects of configuration files: the same keys with other defaults and other rules for prefixes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What a kind of file means where it says nothing. `levels`: `workers.`, `connectors.` and `.worker.` exist, and
    most keys do nothing without one of these prefixes."""

    name: str
    topics: str
    topics_exclude: str = r".*[\-\.]internal, .*\.replica, __.*"
    groups: str
    groups_exclude: str = "console-consumer-.*, connect-.*, __.*"
    levels: bool = False
    syncs_groups: bool = False


# internal topics are left out by rule as well, whatever `topics.exclude` says
MM2 = Dialect(name="mm2", topics=".*", groups=".*")
# the original replicates nothing until srm-control allows it
SRM = Dialect(name="srm", topics="", groups="", levels=True)
OPERATOR = Dialect(name="operator", topics=".*", groups=".*", syncs_groups=True)
KAFKA4_TOPICS_EXCLUDE = r"mm2.*\.internal, .*\.replica, __.*"

DIALECTS = {dialect.name: dialect for dialect in (MM2, SRM, OPERATOR)}
