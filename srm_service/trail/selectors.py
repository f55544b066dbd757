"""Queries of the audit trail."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from srm_service.core.choices import word_of
from srm_service.core.clock import moment_of
from srm_service.trail.contracts import ACTOR_KINDS, SUBJECT_KINDS, TRAIL_OUTCOMES, TrailDto
from srm_service.trail.models import TrailEntry

_CHUNK = 500
_NEWEST = 32  # entries of transactions at the same time may appear out of order


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailFilter:
    """The wanted entries; an empty field does not filter."""

    actor: str = ""
    actor_kind: str = ""
    action: str = ""  # an action, or the noun of several: `flow` finds flow.pause
    subject_kind: str = ""
    subject: str = ""
    from_ms: int | None = None
    to_ms: int | None = None
    request_id: str = ""
    outcome: str = ""
    address: str = ""


def trail_all(wanted: TrailFilter, *, most: int) -> Iterator[TrailDto]:
    """Yield the newest entries, at most `most`."""
    for entry in trail_rows(wanted)[:most].iterator(chunk_size=_CHUNK):
        yield trail_dto(entry)


def trail_version() -> tuple[int, ...]:
    """Return a value that differs after every change and order of people and programs. One query of an index."""
    return tuple(TrailEntry.objects.order_by("-id").values_list("id", flat=True)[:_NEWEST])


def trail_find(entry_id: int) -> TrailDto | None:
    entry = TrailEntry.objects.filter(pk=entry_id).first()
    return None if entry is None else trail_dto(entry)


def trail_rows(wanted: TrailFilter) -> QuerySet[TrailEntry]:
    """Return the wanted entries."""
    exact = ("actor", "actor_kind", "subject_kind", "subject", "request_id", "outcome", "address")
    entries = TrailEntry.objects.filter(**{name: value for name in exact if (value := getattr(wanted, name))})
    if wanted.action:
        entries = entries.filter(Q(action=wanted.action) | Q(action__startswith=f"{wanted.action}."))
    if wanted.from_ms is not None:
        entries = entries.filter(at__gte=moment_of(wanted.from_ms))
    if wanted.to_ms is not None:
        entries = entries.filter(at__lt=moment_of(wanted.to_ms))
    return entries


def trail_dto(entry: TrailEntry) -> TrailDto:
    return TrailDto(
        id=entry.pk,
        at_ms=int(entry.at.timestamp() * 1000),
        actor=entry.actor,
        actor_kind=word_of(entry.actor_kind, ACTOR_KINDS),
        token=entry.token,
        address=entry.address,
        action=entry.action,
        subject_kind=word_of(entry.subject_kind, SUBJECT_KINDS),
        subject=entry.subject,
        before=entry.before,
        after=entry.after,
        reason=entry.reason,
        request_id=entry.request_id,
        outcome=word_of(entry.outcome, TRAIL_OUTCOMES),
    )
