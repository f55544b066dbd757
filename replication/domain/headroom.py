"""How long until a partition is level with its source, and how long until retention overtakes it.

Both come from slopes over the last minutes: where the copy, the log's start and the log's end stood then and stand now.
Kafka deletes whole segments, so the log's start moves in jumps; only a stretch in which it moved says anything.
"""

from typing import NamedTuple

SAMPLE_EVERY_MS = 5_000
LEAST_WINDOW_MS = 4_000
RECENT_MS = 60_000  # how fast the copy is now
LONGEST_WINDOW_MS = 600_000  # how fast retention eats
MOST_SAMPLES = 32


class LogSample(NamedTuple):
    """One partition at one moment, in source offsets."""

    time_ms: int
    position: int
    log_start: int
    log_end: int


class Outlook(NamedTuple):
    """What lies ahead; None is unknown, or never."""

    catch_up_ms: int | None
    time_to_loss_ms: int | None

    @property
    def is_at_risk(self) -> bool:
        """Retention wins the race as it stands now."""
        loss_ms, level_ms = self.time_to_loss_ms, self.catch_up_ms
        return loss_ms is not None and (level_ms is None or level_ms >= loss_ms)


def catch_up_ms(first: LogSample, last: LogSample) -> int | None:
    """Until the copy meets the log's end; 0 when it has, None when it does not come nearer."""
    lag = last.log_end - last.position
    if lag <= 0:
        return 0
    elapsed_ms = last.time_ms - first.time_ms
    closed = (last.position - first.position) - (last.log_end - first.log_end)
    if elapsed_ms < LEAST_WINDOW_MS or closed <= 0:
        return None
    return round(lag * elapsed_ms / closed)


def time_to_loss_ms(first: LogSample, last: LogSample) -> int | None:
    """Until the log's start meets the copy; None when it does not move or the copy is faster."""
    elapsed_ms = last.time_ms - first.time_ms
    if elapsed_ms < LEAST_WINDOW_MS or last.position >= last.log_end:
        return None
    closing = (last.log_start - first.log_start) - (last.position - first.position)
    if last.log_start <= first.log_start or closing <= 0:
        return None
    return max(0, round((last.position - last.log_start) * elapsed_ms / closing))


class LogHistory:
    """The last minutes of one partition that is behind, thinned out as they grow long."""

    __slots__ = ("_samples",)

    def __init__(self) -> None:
        self._samples: list[LogSample] = []

    def add(self, sample: LogSample) -> None:
        """A position or log start that went back (a reset, a re-created topic) starts the history anew."""
        samples = self._samples
        if samples and (sample.position < samples[-1].position or sample.log_start < samples[-1].log_start):
            samples.clear()
        samples.append(sample)
        if len(samples) > MOST_SAMPLES:
            samples[:] = [*samples[:-1:2], sample]
        while sample.time_ms - samples[0].time_ms > LONGEST_WINDOW_MS:
            samples.pop(0)

    def outlook(self) -> Outlook:
        """The copy's speed over the last minute, retention's over all that is known."""
        if not self._samples:
            return Outlook(None, None)
        last = self._samples[-1]
        recent = next(sample for sample in self._samples if last.time_ms - sample.time_ms <= RECENT_MS)
        return Outlook(catch_up_ms(recent, last), time_to_loss_ms(self._samples[0], last))
