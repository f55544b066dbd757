"""The connections that questions about consumer groups need beside those of the planner."""

from collections.abc import Callable
from dataclasses import dataclass

from replication.domain.names.copy_topics import CopyTopics
from replication.ports.groups.copy_logs import CopyLogs
from replication.ports.groups.group_admin import GroupAdmin
from replication.ports.record_log import RecordLog


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPorts:
    """They connect at their first call."""

    source: GroupAdmin
    target: GroupAdmin
    copy_logs: CopyLogs
    reverse_logs: CopyLogs  # of the flow the other way
    source_log: RecordLog
    target_log: RecordLog

    def close(self) -> None:
        for port in (self.source, self.target, self.copy_logs, self.reverse_logs, self.source_log, self.target_log):
            port.close()


OpenGroupAdmins = Callable[[], tuple[GroupAdmin, GroupAdmin]]  # of the source, of the target
# The topics of the flow and of the flow the other way; raises ConfigurationError.
OpenGroupPorts = Callable[[CopyTopics, CopyTopics], GroupPorts]
