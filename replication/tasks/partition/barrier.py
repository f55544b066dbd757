"""A barrier in a partition's queue: nothing behind it is sent or counted as done."""


class Barrier:
    """Closed while records of ours about the partition (gaps, dead letters) are not written down yet."""

    __slots__ = ("waits",)

    def __init__(self) -> None:
        self.waits = 0  # writes that keep it closed

    def close(self) -> None:
        """One more write must succeed before the partition continues."""
        self.waits += 1

    def open(self) -> None:
        """One of those writes succeeded."""
        self.waits -= 1
