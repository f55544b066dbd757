"""Connections to clusters, which the task of a slot opens and closes."""

from typing import Protocol

from replication.domain.errors import ReplicationError


class SlotConnection(Protocol):
    """Everything a slot asks one cluster for one purpose goes over one of these; several roles may share it.

    Its second implementation is a test's. The port keeps the tasks free of network code.
    """

    async def open(self) -> None:
        """Connect; returns when the cluster has answered once. An open connection opens again immediately.

        Raises RetriableError while the cluster cannot be reached, AuthenticationError when it rejects us.
        """
        ...

    def refused_login(self) -> ReplicationError | None:
        """Return why a changed login is not in use yet although the connection still serves; None when it is."""
        ...

    def close(self) -> None:
        """Cut the connection; what still waits to be sent is not sent."""
        ...
