"""The number of retries of a failed task, and the pauses before them (SRM's Retry Count and Retry Delay)."""

from collections.abc import Mapping
from dataclasses import dataclass

from replication.domain.assignment.lease import restart_delay_ms
from replication.domain.settings.registry.drivers import FOR_EVER, RETRY_COUNT, RETRY_DELAY
from replication.domain.settings.setting_error import SettingError


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """`count` -1 sets no limit, 0 equals 1. `delay_ms` None lets pauses grow from 1 to 30 s."""

    count: int = FOR_EVER
    delay_ms: int | None = None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "RetryPolicy":
        """Read the policy from a flow's settings; invalid values, which others report, take their defaults."""
        try:
            return cls(count=RETRY_COUNT.read(settings), delay_ms=RETRY_DELAY.read(settings))
        except SettingError:
            return cls()

    def delay_ms_after(self, failures: int) -> int | None:
        """Return the pause after the nth failure in a row; None when no retry is left."""
        if self.count != FOR_EVER and failures > max(1, self.count):
            return None
        return restart_delay_ms(failures) if self.delay_ms is None else self.delay_ms

    def used_up(self, error: str) -> str:
        """Return the cause of a task that stays failed."""
        times = max(1, self.count)
        return (
            f"{error.rstrip('.')} (retried {times} {'time' if times == 1 else 'times'}, as {RETRY_COUNT.key} allows; "
            "restart the flow after a correction)"
        )
