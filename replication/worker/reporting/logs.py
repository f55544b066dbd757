"""Log lines of a driver process: one line each, time, level, constant message, fields."""

import logging
import sys

import structlog

# two lines per self-ping, and ten per second about connections, of which the engine logs the relevant ones
_NOISY_LOGGERS = ("celery.worker.strategy", "celery.app.trace", "kafka")


def configure_logs(level: str) -> None:
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    for name in _NOISY_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
