"""Reads and replaces the preferences of a person."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from srm_service.people.models import Preferences
from srm_service.people.personal.contracts import PreferencesDto
from srm_service.trail.contracts import Actor, TrailSubject
from srm_service.trail.services import record


def preferences_of(owner: str) -> PreferencesDto:
    """Return what a person prefers; the defaults if nothing is stored."""
    return _dto(Preferences.objects.filter(owner__username=owner).first())


def preferences_set(
    *, owner: str, values: dict[str, Any], by: Actor | str, check: Callable[[PreferencesDto], None]
) -> PreferencesDto:
    """Replace what a person prefers. `check` sees the stored preferences before and may refuse."""
    with transaction.atomic():
        person = User.objects.select_for_update().get(username=owner)
        stored = Preferences.objects.filter(owner=person).first()
        before = _dto(stored)
        check(before)
        stored = stored or Preferences(owner=person)
        for name, value in values.items():
            setattr(stored, name, value)
        stored.save()
        after = _dto(stored)
        if after != before:
            subject = TrailSubject("user", owner)
            record(by=by, action="preferences.set", subject=subject, before=asdict(before), after=asdict(after))
    return after


def _dto(stored: Preferences | None) -> PreferencesDto:
    if stored is None:
        return PreferencesDto()
    return PreferencesDto(pinned_flows=tuple(stored.pinned_flows), columns=tuple(stored.columns))
