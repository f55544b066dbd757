"""Events and gaps of flows and versions of the configuration, for the marks of charts."""

from dataclasses import dataclass, fields

from srm_service.configuration.contracts import VersionDto
from srm_service.configuration.selectors import version_of, version_rows
from srm_service.core.clock import moment_of
from srm_service.fleet.gaps import GapDto, GapFilter, gap_dto, gap_rows
from srm_service.monitoring.events import EventDto, EventFilter, event_dto, event_rows
from srm_service.monitoring.reported_rows import ReportedFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """The newest events, gaps and versions of a range; `is_cut`: there are older ones of a kind."""

    events: tuple[EventDto, ...]
    gaps: tuple[GapDto, ...]
    versions: tuple[VersionDto, ...]
    is_cut: bool


def marks_of(wanted: ReportedFilter, *, most: int) -> Marks:
    """Return at most `most` of each kind, the newest first. A version concerns all flows. Raises DatabaseError."""
    given = {each.name: getattr(wanted, each.name) for each in fields(ReportedFilter)}
    events = event_rows(EventFilter(**given)).order_by("-time_ms", "-id")[: most + 1]
    gaps = gap_rows(GapFilter(**given)).order_by("-detected_ms", "-id")[: most + 1]
    versions = version_rows(since=moment_of(wanted.from_ms), before=moment_of(wanted.to_ms))[: most + 1]
    found = (
        [event_dto(event) for event in events],
        [gap_dto(gap) for gap in gaps],
        [version_of(version) for version in versions],
    )
    return Marks(
        events=tuple(found[0][:most]),
        gaps=tuple(found[1][:most]),
        versions=tuple(found[2][:most]),
        is_cut=any(len(each) > most for each in found),
    )
