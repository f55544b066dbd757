"""The retries of a partition: how often and since when its batches come back, and when they go out again."""

from replication.ports.produce.batch_producer import ProduceResult
from replication.tasks.partition.entry import Entry


class Retries:
    """Counts until a batch is acknowledged."""

    __slots__ = (
        "attempts",
        "exclusions",
        "failed_since_s",
        "is_repairing",
        "out_of_order",
        "rejection",
        "renewals",
        "resend_after_s",
        "suspect_since_s",
        "suspects",
    )

    def __init__(self) -> None:
        self.attempts = 0
        self.out_of_order = 0  # answers in a row that the head of the line is out of order
        self.suspects = 0  # answers in a row that blame the batch, as a broker in trouble does too
        self.suspect_since_s = 0.0  # the first of `suspects`
        self.renewals = 0  # of the producer, in a row, because of this partition
        self.failed_since_s = 0.0  # the first of `attempts`
        self.resend_after_s = 0.0
        self.rejection: tuple[Entry, ProduceResult] | None = None  # handled when nothing is in flight
        self.is_repairing = False  # a rejected record is on its way to the dead letter topic
        self.exclusions = 0  # transactions in a row that this partition spoilt

    def note_failure(self, now_s: float, *, is_out_of_order: bool) -> None:
        """The head of the line came back."""
        self.attempts += 1
        self.failed_since_s = self.failed_since_s or now_s
        self.out_of_order = self.out_of_order + 1 if is_out_of_order else 0

    def note_suspect(self, now_s: float) -> None:
        """The answer blames the batch."""
        self.suspects += 1
        self.suspect_since_s = self.suspect_since_s or now_s

    def clear_suspects(self) -> None:
        """The answer blames something else."""
        self.suspects, self.suspect_since_s = 0, 0.0

    def reset(self) -> None:
        """A batch is acknowledged, or the bad one is out of the way."""
        self.attempts = self.out_of_order = self.renewals = 0
        self.clear_suspects()
        self.failed_since_s = 0.0

    def reset_attempts(self, *, keeps_time: bool) -> None:
        """Smaller batches go out for the first time; `keeps_time` where the cause may be the way, not the batch."""
        self.attempts = self.suspects = 0
        if not keeps_time:
            self.failed_since_s = self.suspect_since_s = 0.0

    def note_renewal(self) -> None:
        """The producer gets another epoch, and the batch goes out with another sequence."""
        self.renewals += 1
        self.out_of_order = 0

    def note_rejection(self, entry: Entry, answer: ProduceResult) -> None:
        """The target rejects this batch; it is handled once everything in flight is back."""
        self.rejection = entry, answer

    def take_rejection(self) -> tuple[Entry, ProduceResult] | None:
        """Return the rejected batch, once."""
        rejection, self.rejection = self.rejection, None
        return rejection

    def wait_until(self, moment_s: float) -> None:
        """Send nothing before this moment."""
        self.resend_after_s = moment_s

    def note_denied(self, moment_s: float) -> None:
        """The partition may not join a transaction; ask again at this moment."""
        self.attempts += 1
        self.resend_after_s = moment_s

    def note_exclusion(self, moment_s: float) -> None:
        """The partition spoilt a transaction and stays out until this moment."""
        self.exclusions += 1
        self.resend_after_s = moment_s

    def end_exclusions(self) -> None:
        """A transaction with records of the partition has committed."""
        self.exclusions = 0

    def start_repair(self) -> None:
        """Send nothing while a rejected record is written to the dead letter topic."""
        self.is_repairing = True

    def end_repair(self) -> None:
        """The dead letter is written, or not needed any more."""
        self.is_repairing = False
