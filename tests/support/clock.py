"""A clock that stands still until it is moved."""

from dataclasses import dataclass


@dataclass(slots=True)
class StoppedClock:
    """Both clocks move together, from different starts."""

    passed_ms: int = 0

    def move(self, milliseconds: int) -> None:
        self.passed_ms += milliseconds

    def wall_ms(self) -> int:
        return 1_700_000_000_000 + self.passed_ms

    def monotonic_ms(self) -> int:
        return 50_000 + self.passed_ms
