"""Errors of the metrics process, split by what the caller may do."""


class MetricsError(Exception):
    """Base of all; the message names the thing and the remedy."""


class MetricsConfigError(MetricsError):
    """Not to be retried: the operator has to change something."""


class StoreUnavailableError(MetricsError):
    """The metrics store does not answer: retry with back-off."""


class TablesMissingError(StoreUnavailableError):
    """The metrics store has not been migrated yet: wait and look again."""


class WriterFencedError(MetricsError):
    """Another metrics process has taken this target; nothing was written and nothing may be."""


class RawTopicChangedError(MetricsError):
    """A raw metrics topic was re-created or vanished: nothing was written, start again from the ledger."""


class BatchOutdatedError(MetricsError):
    """The state that a batch was folded on has changed: nothing was written, and the batch must be folded again."""


class JobError(MetricsError):
    """A batch job cannot be done as it was asked for: not to be retried."""


class JobCancelledError(MetricsError):
    """A batch job was asked to stop, or another process has taken it over."""


def drop_frames(error: BaseException) -> None:
    """Take the tracebacks off an error and its causes: whoever keeps one keeps all that its frames held."""
    waiting: list[BaseException | None] = [error]
    stripped: set[int] = set()
    while waiting:
        each = waiting.pop()
        if each is not None and id(each) not in stripped:
            stripped.add(id(each))
            each.__traceback__ = None
            waiting += (each.__cause__, each.__context__)
