"""The steps of the loop that one answer of a partition takes: long work is divided, or done beside the loop.

All flows of a data worker share the loop. A step of it opens a bounded number of bytes, and a single batch that holds
more is opened on another thread (ADR 21).
"""

from collections.abc import Callable

from replication.ports.loop import Loop, ResultT
from replication.tasks.partition.partition_copy import PartitionCopy

PLAIN_BYTES = 4 * 1024 * 1024  # that are opened in one step
INSPECTED_BYTES = 1024 * 1024  # the same where every record is inspected
WHILE_ASIDE_S = 0.01


class AnswerAbandonedError(Exception):
    """The rest of an answer is not used: the partition is at another place, or has enough to send."""


class AsideGate:
    """Lets one answer of a slot at a time use the record path while a part of it runs beside the loop."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._is_taken = False

    async def free(self) -> bool:
        """Wait until nothing runs; True if it had to wait."""
        waited = False
        while self._is_taken:
            waited = True
            await self._loop.sleep(WHILE_ASIDE_S)
        return waited

    async def run(self, work: Callable[[], ResultT]) -> ResultT:
        """Do the work beside the loop."""
        await self.free()
        self._is_taken = True
        try:
            return await self._loop.run_aside(work)
        finally:
            self._is_taken = False


class LoopSteps:
    """`is_asked` says that the partition still wants this answer, `most_pending_bytes` when it has enough to send.

    `send` lets go what is queued so far.
    """

    def __init__(
        self,
        loop: Loop,
        gate: AsideGate,
        copy: PartitionCopy,
        is_asked: Callable[[], bool],
        most_pending_bytes: int,
        send: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._gate = gate
        self._copy = copy
        self._is_asked = is_asked
        self._most_pending_bytes = most_pending_bytes
        self._send = send
        self._opened_bytes = 0

    async def note_opened(self, opened_bytes: int) -> None:
        """Let others have the loop if this step has opened many bytes. Raises AnswerAbandonedError."""
        self._opened_bytes += opened_bytes
        if self._opened_bytes < PLAIN_BYTES:
            return
        self._opened_bytes = 0
        if self._copy.queue.pending_bytes > self._most_pending_bytes:
            raise AnswerAbandonedError
        self._send()
        before = self._copy.cursor.offset
        await self._loop.sleep(0)
        self._check(before)

    async def free(self) -> None:
        """Wait until the record path is free. Raises AnswerAbandonedError."""
        before = self._copy.cursor.offset
        if await self._gate.free():
            self._check(before)

    async def aside(self, work: Callable[[], ResultT]) -> ResultT:
        """Do the work beside the loop. Raises AnswerAbandonedError."""
        self._send()
        before = self._copy.cursor.offset
        result = await self._gate.run(work)
        self._check(before)
        return result

    def _check(self, before: int) -> None:
        if self._copy.cursor.offset != before or not self._is_asked():
            raise AnswerAbandonedError
