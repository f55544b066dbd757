"""The entries of the audit trail for a change of the configuration."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from replication.config.tree.properties import PropertyPlace
from srm_service.configuration.contracts import AppliedChange, PropertyDifference
from srm_service.trail.contracts import TrailSubject, flow_subject

CHANGE = "configuration.change"
_PROPERTIES = TrailSubject("configuration", "properties")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEntry:
    """What one entry shows: the subject, and the properties before and after."""

    subject: TrailSubject
    before: Mapping[str, Any]
    after: Mapping[str, Any]


def change_entries(applied: AppliedChange, subjects: Sequence[TrailSubject]) -> Iterator[ChangeEntry]:
    """Yield an entry for each subject. Several subjects have the properties of their own level each.

    Without subjects, a change of one flow or of one cluster is theirs.
    """
    for subject in subjects or (_subject(applied),):
        found = applied.differences
        if len(subjects) > 1:
            found = tuple(each for each in found if _subject_of(each.place) == subject)
        yield ChangeEntry(
            subject=subject, before={each.place.key: each.before for each in found}, after=_after(applied, found)
        )


def _after(applied: AppliedChange, found: Sequence[PropertyDifference]) -> Mapping[str, Any]:
    return {
        "version": applied.version,
        "clusters": list(applied.clusters),
        "flows": [f"{source}->{target}" for source, target in applied.flows],
        "properties": {each.place.key: each.after for each in found},
    }


def _subject(applied: AppliedChange) -> TrailSubject:
    found = {_subject_of(each.place) for each in applied.differences}
    return found.pop() if len(found) == 1 else _PROPERTIES


def _subject_of(place: PropertyPlace) -> TrailSubject:
    if place.level == "flow":
        return flow_subject(place.source, place.target)
    return TrailSubject("cluster", place.alias) if place.level == "cluster" else _PROPERTIES
