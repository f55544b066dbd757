"""Changes and queries of drafts: changes that a person prepares and applies as one version."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from django.db import IntegrityError, transaction

from srm_service.configuration.cells import Cell, opened, sealed_cell
from srm_service.configuration.contracts import (
    HIDDEN_VALUE,
    AppliedChange,
    DraftDto,
    DraftNameTakenError,
    DraftNotFoundError,
    InvalidChangeError,
    PropertyChange,
)
from srm_service.configuration.models import ConfigDraft, DraftChange
from srm_service.configuration.place_rules import broken_limits
from srm_service.configuration.selectors import current_version, place_of
from srm_service.configuration.services import apply_changes
from srm_service.trail.contracts import TrailSubject
from srm_service.trail.services import record

DraftCheck = Callable[[DraftDto], None]


def _unchecked(draft: DraftDto) -> None:
    return None


def draft_list() -> tuple[DraftDto, ...]:
    """All drafts by name. Two queries."""
    return tuple(_dto(draft) for draft in ConfigDraft.objects.prefetch_related("changes"))


def draft_find(draft_id: int) -> DraftDto:
    """Return a draft. Raises DraftNotFoundError."""
    return _dto(_draft(draft_id))


def draft_create(*, name: str, author: str, changes: Sequence[PropertyChange]) -> DraftDto:
    """Store a draft on top of the current version. Raises DraftNameTakenError, InvalidChangeError."""
    with transaction.atomic():
        draft = _saved(ConfigDraft(name=name, author=author, base_version=current_version()))
        _write(draft, changes)
        _record("draft.create", draft.pk, by=author)
    return draft_find(draft.pk)


def draft_change(
    draft_id: int,
    *,
    name: str | None = None,
    changes: Sequence[PropertyChange] | None = None,
    rebase: bool = False,
    by: str,
    check: DraftCheck = _unchecked,
) -> DraftDto:
    """Rename a draft, or replace its changes; with `rebase`, it is on top of the current version.

    A hidden value keeps the secret that the draft has. `check` sees the draft before the change and may refuse it.
    Raises DraftNotFoundError, DraftNameTakenError, InvalidChangeError.
    """
    with transaction.atomic():
        draft = _draft(draft_id, is_locked=True)
        check(_dto(draft))
        before = _shown(draft)
        draft.name = draft.name if name is None else name
        draft.base_version = current_version() if rebase else draft.base_version
        _saved(draft)
        if changes is not None:
            _write(draft, changes)
        _record("draft.change", draft_id, by=by, before=before)
    return draft_find(draft_id)


def draft_delete(draft_id: int, *, by: str, check: DraftCheck = _unchecked) -> None:
    """Delete a draft. Raises DraftNotFoundError."""
    with transaction.atomic():
        draft = _draft(draft_id, is_locked=True)
        check(_dto(draft))
        before = _shown(draft)
        draft.delete()
        record(by=by, action="draft.delete", subject=_subject(draft_id), before=before)


def draft_changes(draft_id: int) -> tuple[PropertyChange, ...]:
    """The changes of a draft with their secrets, never for an answer. Raises DraftNotFoundError."""
    return tuple(
        PropertyChange(
            place=place_of(row),
            value=None if row.removed else opened(Cell(value=row.value, sealed=row.sealed)),
            comment=row.comment,
        )
        for row in _draft(draft_id).changes.all()
    )


def draft_apply(
    draft_id: int,
    *,
    by: str,
    comment: str,
    expected_version: int | None = None,
    request_id: str = "",
    dry_run: bool = False,
) -> AppliedChange:
    """Make the draft the next version, and delete it. Without `expected_version`, its base version is expected.

    Raises DraftNotFoundError, VersionConflictError, InvalidChangeError.
    """
    with transaction.atomic():
        draft = _draft(draft_id)
        applied = apply_changes(
            draft_changes(draft_id),
            by=by,
            comment=comment or draft.name,
            expected_version=draft.base_version if expected_version is None else expected_version,
            request_id=request_id,
            dry_run=dry_run,
        )
        if not dry_run:
            draft.delete()
    return applied


def _record(action: str, draft_id: int, *, by: str, before: Any = None) -> None:
    """Record a stored draft in the audit trail."""
    record(by=by, action=action, subject=_subject(draft_id), before=before, after=_shown(_draft(draft_id)))


def _subject(draft_id: int) -> TrailSubject:
    return TrailSubject("draft", str(draft_id))


def _shown(draft: ConfigDraft) -> dict[str, Any]:
    """Return the content of a draft for the trail, without secrets."""
    dto = _dto(draft)
    changes = {change.place.key: change.value for change in dto.changes}
    return {"name": dto.name, "author": dto.author, "base_version": dto.base_version, "changes": changes}


def _draft(draft_id: int, *, is_locked: bool = False) -> ConfigDraft:
    drafts = ConfigDraft.objects.select_for_update() if is_locked else ConfigDraft.objects.all()
    draft = drafts.prefetch_related("changes").filter(pk=draft_id).first()
    if draft is None:
        raise DraftNotFoundError(f"there is no draft {draft_id}; GET /api/v2/config/drafts lists all")
    return draft


def _saved(draft: ConfigDraft) -> ConfigDraft:
    others = ConfigDraft.objects.filter(author=draft.author, name=draft.name).exclude(pk=draft.pk)
    error = DraftNameTakenError(f"you have another draft {draft.name!r}: choose another name, or change that one")
    if others.exists():
        raise error
    try:
        with transaction.atomic():
            draft.save()
    except IntegrityError as cause:
        raise error from cause
    return draft


def _write(draft: ConfigDraft, changes: Sequence[PropertyChange]) -> None:
    known = {place_of(row): row for row in draft.changes.all()}
    rows = []
    for change in {change.place: change for change in changes}.values():
        cell = sealed_cell(
            change.place, change.value or "", comment=change.comment or "", origin=change.origin, position=0
        )
        if broken := broken_limits([(change.place, cell)]):
            raise InvalidChangeError(broken)
        kept = known.get(change.place) if change.value == HIDDEN_VALUE else None
        rows.append(
            DraftChange(
                draft=draft,
                **asdict(change.place),
                removed=change.value is None,
                value=kept.value if kept else cell.value,
                sealed=kept.sealed if kept else cell.sealed,
                comment=None if change.comment is None else cell.comment,
            )
        )
    draft.changes.all().delete()
    DraftChange.objects.bulk_create(rows)


def _dto(draft: ConfigDraft) -> DraftDto:
    return DraftDto(
        id=draft.pk,
        name=draft.name,
        author=draft.author,
        base_version=draft.base_version,
        created_at=draft.created_at,
        updated_at=draft.updated_at,
        changes=tuple(
            PropertyChange(
                place=place_of(row),
                value=None if row.removed else Cell(value=row.value, sealed=row.sealed).shown,
                comment=row.comment,
            )
            for row in draft.changes.all()
        ),
    )
