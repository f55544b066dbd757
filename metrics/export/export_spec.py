"""The spec of an export job. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from metrics.errors import JobError
from replication.domain.reporting.history_export import parse_widths
from replication.domain.reporting.metric_defs import TileWidth


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportSpec:
    """The history to write into; without a range, all hours that are due."""

    uri: str
    widths: tuple[TileWidth, ...]
    wanted: tuple[int, int] | None = None  # from and to, epoch ms

    def to_json(self) -> dict[str, Any]:
        spec: dict[str, Any] = {"uri": self.uri, "widths": list(self.widths)}
        return spec if self.wanted is None else {**spec, "from_ms": self.wanted[0], "to_ms": self.wanted[1]}


def parse_export_spec(spec: Mapping[str, Any]) -> ExportSpec:
    """Return the spec of a row of `job_request`. JobError when it is incomplete."""
    uri, widths, times = spec.get("uri"), spec.get("widths"), (spec.get("from_ms"), spec.get("to_ms"))
    if not isinstance(uri, str) or not isinstance(widths, list):
        raise JobError("an export needs uri and widths")
    from_ms, to_ms = times
    if times != (None, None) and not (isinstance(from_ms, int) and isinstance(to_ms, int) and from_ms >= 0):
        raise JobError("an export needs both from_ms and to_ms in epoch milliseconds, or neither")
    try:
        found = parse_widths(",".join(map(str, widths)))
    except ValueError as error:
        raise JobError(str(error)) from error
    wanted = (from_ms, to_ms) if isinstance(from_ms, int) and isinstance(to_ms, int) else None
    return ExportSpec(uri=uri, widths=found, wanted=wanted)
