"""The connections that an answer about one flow needs."""

from collections.abc import Callable
from dataclasses import dataclass

from replication.connectors.group_questions.group_ports import OpenGroupAdmins, OpenGroupPorts
from replication.connectors.topics.applied_ledger import AppliedLedger
from replication.domain.plan.slot import ClusterClient
from replication.ports.admin import ClusterAdmin
from replication.ports.log_sizes import LogSizes


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPorts:
    """The admin clients connect at their first call; `open_sizes` is None where sizes cannot be read.

    `open_groups` and `open_group_admins` open further connections for questions about consumer groups.
    """

    source: ClusterAdmin
    target: ClusterAdmin
    ledger: AppliedLedger
    open_sizes: Callable[[], LogSizes] | None = None
    open_groups: OpenGroupPorts | None = None
    open_group_admins: OpenGroupAdmins | None = None

    def close(self) -> None:
        self.source.close()
        self.target.close()


OpenFlowPorts = Callable[[ClusterClient, ClusterClient], FlowPorts]  # source, target; raises ConfigurationError
