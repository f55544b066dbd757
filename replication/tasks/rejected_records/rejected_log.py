"""The rejected records of a slot, as reports name them."""

from collections import deque
from collections.abc import Sequence

from replication.domain.rejected_records.rejected_record import RejectedRecord

SHOWN = 20
REPORTED = 1_000  # per period; the rest is in the log


class RejectedLog:
    """Counts every rejected record, and keeps the newest."""

    def __init__(self) -> None:
        self.total = 0
        self._newest: deque[RejectedRecord] = deque(maxlen=SHOWN)
        self._unreported: deque[RejectedRecord] = deque(maxlen=REPORTED)

    @property
    def newest(self) -> Sequence[RejectedRecord]:
        """The newest ones, oldest first."""
        return tuple(self._newest)

    def note(self, rejected: RejectedRecord) -> None:
        """The target does not take a record."""
        self._newest.append(rejected)
        self._unreported.append(rejected)
        self.total += rejected.records

    def take_unreported(self) -> Sequence[RejectedRecord]:
        """Return those since the last report."""
        rejected = tuple(self._unreported)
        self._unreported.clear()
        return rejected
