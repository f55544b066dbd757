"""Following the topics in which a flow writes how it copies."""

from typing import Protocol

from replication.domain.groups.copy_account import CopyAccount


class CopyLogs(Protocol):
    """Reader of one flow's offset runs, positions, gaps and offset syncs; remembers how far it has read.

    Blocking; one thread at a time. Raises `replication.domain.errors` as ClusterAdmin does.
    """

    def read_into(self, account: CopyAccount) -> int:
        """Add the records since the last call, up to the ends of now, in the order they were written.

        Reads committed records only. Returns their number. A topic that cannot be read because it is missing counts as
        empty; offset syncs on a source that does not answer are skipped.
        """

    def close(self) -> None: ...
