"""Log lines of a driver process: one line each, time, level, constant message, fields; as text or as JSON."""

import logging
import sys
from collections.abc import Mapping
from typing import Any, Literal

import structlog
from celery.signals import setup_logging

from replication.domain.identifiers import FlowId, TaskId

LogFormat = Literal["text", "json"]
# two lines per self-ping, and ten per second about connections, of which the engine logs the relevant ones
_NOISY_LOGGERS = ("celery.worker.strategy", "celery.app.trace", "kafka")
_Line = structlog.typing.EventDict


def configure_logs(level: str, log_format: LogFormat = "text", constants: Mapping[str, str] | None = None) -> None:
    """Configure the logs of this process. Lines in JSON carry the `constants`, and a flow's lines its name."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    for name in _NOISY_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    processors: list[structlog.typing.Processor]
    if log_format == "json":
        processors = [*shared, _constants(constants or {}), named_places, structlog.processors.format_exc_info]
        _configure_libraries(processors)
        processors = [*processors, _JSON]
    else:
        processors = [*shared, structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)]
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


_JSON = structlog.processors.JSONRenderer(default=str)


def named_places(_logger: Any, _method: str, line: _Line) -> _Line:
    """Give the line of a task its flow, and the line of a partition its topic: programs search for these fields."""
    if "flow" not in line and "target" in line:
        source = line.get("source") or _source_of(line.get("task"))
        if source:
            line["flow"] = str(FlowId(source, line["target"]))
    partition = line.get("partition")
    if isinstance(partition, str) and "topic" not in line:
        topic, _, number = partition.rpartition("-")
        if topic and number.isdecimal():
            line["topic"], line["partition"] = topic, int(number)
    return line


def _source_of(task: object) -> str | None:
    try:
        return TaskId.parse(str(task)).source
    except ValueError:
        return None


def _constants(values: Mapping[str, str]) -> structlog.typing.Processor:
    def add(_logger: Any, _method: str, line: _Line) -> _Line:
        for name, value in values.items():
            line.setdefault(name, value)
        return line

    return add


def _configure_libraries(processors: list[structlog.typing.Processor]) -> None:
    """Write the warnings of libraries as JSON, too; Celery would configure its own format otherwise."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *processors],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _JSON],
        )
    )
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    setup_logging.connect(_leave_alone, weak=False)


def _leave_alone(**_arguments: object) -> None:
    return
