"""Reads, saves and deletes the views of a person."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from srm_service.people.models import SavedView
from srm_service.people.personal.contracts import MOST_VIEWS, SavedViewDto, ViewPage
from srm_service.trail.contracts import Actor, TrailSubject
from srm_service.trail.services import record

Check = Callable[[SavedViewDto], None]


class ViewNotFoundError(Exception):
    """The person has no such view."""


class ViewRefusedError(Exception):
    """The view cannot be saved; `field` names the reason's field."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def view_list(owner: str, page: ViewPage | None = None) -> tuple[SavedViewDto, ...]:
    """Return the views of a person by name."""
    views = SavedView.objects.filter(owner__username=owner)
    return tuple(_dto(view) for view in (views if page is None else views.filter(page=page)))


def view_find(owner: str, view_id: int) -> SavedViewDto:
    """Return a view of a person. Raises ViewNotFoundError."""
    return _dto(_view(owner, view_id))


def view_create(*, owner: str, values: dict[str, Any], by: Actor | str) -> SavedViewDto:
    """Save a view under a name that the person does not use yet. Raises ViewRefusedError."""
    with transaction.atomic():
        person = User.objects.select_for_update().get(username=owner)  # two requests count one after the other
        if SavedView.objects.filter(owner=person).count() >= MOST_VIEWS:
            raise ViewRefusedError("name", f"you have {MOST_VIEWS} views, which is the most: delete one first")
        return _stored(SavedView(owner=person), values, by=by, action="view.create", before=None)


def view_change(
    *, owner: str, view_id: int, values: dict[str, Any], by: Actor | str, check: Check | None = None
) -> SavedViewDto:
    """Replace fields of a view. `check` sees it before and may refuse. Raises ViewNotFoundError, ViewRefusedError."""
    with transaction.atomic():
        view = _view(owner, view_id, lock=True)
        before = _dto(view)
        if check is not None:
            check(before)
        return _stored(view, values, by=by, action="view.change", before=before)


def view_delete(*, owner: str, view_id: int, by: Actor | str, check: Check | None = None) -> None:
    """Delete a view. `check` sees it before and may refuse. Raises ViewNotFoundError."""
    with transaction.atomic():
        view = _view(owner, view_id, lock=True)
        before = _dto(view)
        if check is not None:
            check(before)
        view.delete()
        record(by=by, action="view.delete", subject=TrailSubject("user", owner), before=_shown(before))


def _stored(
    view: SavedView, values: dict[str, Any], *, by: Actor | str, action: str, before: SavedViewDto | None
) -> SavedViewDto:
    for name, value in values.items():
        setattr(view, name, value)
    view.changed_at = timezone.now()
    if view.is_default:
        others = SavedView.objects.filter(owner=view.owner, page=view.page, is_default=True)
        others.exclude(pk=view.pk).update(is_default=False)
    try:
        with transaction.atomic():
            view.save()
    except IntegrityError as error:
        raise ViewRefusedError(
            "name", f"you have a view {view.name!r} already: change it, or use another name"
        ) from error
    after = _dto(view)
    shown = None if before is None else _shown(before)
    if shown != _shown(after):
        subject = TrailSubject("user", view.owner.get_username())
        record(by=by, action=action, subject=subject, before=shown, after=_shown(after))
    return after


def _view(owner: str, view_id: int, *, lock: bool = False) -> SavedView:
    views = SavedView.objects.select_related("owner")
    found = (views.select_for_update(of=("self",)) if lock else views).filter(owner__username=owner, pk=view_id).first()
    if found is None:
        raise ViewNotFoundError(f"you have no view {view_id}; GET /api/v2/me/views lists yours")
    return found


def _dto(view: SavedView) -> SavedViewDto:
    return SavedViewDto(
        id=view.pk,
        name=view.name,
        page=cast("ViewPage", view.page),
        query=view.query,
        is_default=view.is_default,
        changed_ms=int((view.changed_at - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000),
    )


def _shown(view: SavedViewDto) -> dict[str, Any]:
    return {name: value for name, value in asdict(view).items() if name != "changed_ms"}
