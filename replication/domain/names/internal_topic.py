"""The declaration of an internal topic: its name, its shape, and who uses it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from replication.domain.settings.setting import Setting

DEFAULT_SEPARATOR = "."

HoldingCluster = Literal["target", "source or target"]
FaultEffect = Literal["blocks", "degrades"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalTopic:
    """One internal topic. The fields after `configs` are documentation; `docs/internal-topics.md` is made from them.

    `template` holds `{alias}` and `{separator}` at most. A partition count with a setting is that setting's default.
    """

    template: str
    cluster: HoldingCluster
    factor_setting: Setting[int] | None  # None: another program creates the topic
    partitions: int = 1
    partitions_setting: Setting[int] | None = None
    name_setting: Setting[str | None] | None = None  # a flow may choose another name with it
    is_required: bool = True  # the flow does not run without the topic
    configs: Mapping[str, str] = field(default_factory=dict)
    fault: FaultEffect = "degrades"  # what a wrong cleanup policy, partition count or replication does to the flow
    risk: str  # of a wrong cleanup policy, as the end of a sentence
    risk_of_partitions: str = ""  # of more than one; empty: any number is right
    lost: str  # by the deletion of the topic
    loss_while_running: str = "Copying continues."
    loss_while_stopped: str = "Copying continues where it ended."
    alias: str = ""  # which cluster's alias the name holds, where it holds one
    written_by: str
    read_by: str
    purpose: str

    def name(self, alias: str = "", separator: str = DEFAULT_SEPARATOR) -> str:
        """Return the topic's name for the cluster `alias`."""
        return self.template.format(alias=alias, separator=separator)

    @property
    def cleanup_policy(self) -> str:
        """The only cleanup policy with which the topic keeps what it has to keep."""
        return self.configs.get("cleanup.policy", "delete")

    def pattern(self, separator: str = DEFAULT_SEPARATOR) -> str:
        """Return a regular expression, valid in Python and Java, whose only group is the alias."""
        before, _, after = self.template.partition("{alias}")
        literals = (re.escape(part.format(separator=separator)) for part in (before, after))
        return "(.+)".join(literals)

    def aliases(self, topics: Iterable[str], separator: str = DEFAULT_SEPARATOR) -> frozenset[str]:
        """Return the aliases in those of `topics` that are this internal topic of some flow."""
        pattern = re.compile(self.pattern(separator))
        return frozenset(match[1] for topic in topics if (match := pattern.fullmatch(topic)) is not None)
