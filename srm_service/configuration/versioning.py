"""Stores the next version of the tree, and derives clusters and flows from it, in one transaction."""

from collections.abc import Sequence
from dataclasses import asdict

from django.utils import timezone

from replication.config import ConfigFinding
from srm_service.configuration.cells import Cells, Edit, cell_to_json, differences, edits_between, folded
from srm_service.configuration.contracts import AppliedChange, InvalidChangeError, VersionConflictError
from srm_service.configuration.derivation import Derived, derive
from srm_service.configuration.models import ConfigEdit, ConfigHead, ConfigVersion, StoredProperty
from srm_service.configuration.projection import project
from srm_service.configuration.selectors import DEFAULT_DIALECT, edits_after, open_tree, place_of


def locked_head() -> ConfigHead:
    """Return the row of the current version, locked for the current transaction."""
    ConfigHead.objects.get_or_create(id=1, defaults={"dialect": DEFAULT_DIALECT})
    return ConfigHead.objects.select_for_update().get()


def check_expected(head: ConfigHead, expected: int | None) -> None:
    """Raise VersionConflictError if the caller knows another version than the current one."""
    if expected is not None and expected != head.version:
        raise VersionConflictError(expected, head.version, differences(folded(edits_after(expected))))


def derived_from(cells: Cells, dialect: str) -> Derived:
    """Return the clusters and flows that follow from these cells."""
    tree, unreadable = open_tree(cells, dialect)
    return derive(tree, unreadable)


def checked(before: Cells, after: Cells, *, dialect_before: str, dialect: str) -> Derived:
    """Return what follows from `after`. Raises InvalidChangeError for errors that `before` does not have."""
    derived = derived_from(after, dialect)
    if derived.errors:
        known = set(derived_from(before, dialect_before).errors)
        if new := [each for each in derived.errors if each not in known]:
            raise InvalidChangeError(new)
    return derived


def commit_version(
    head: ConfigHead,
    before: Cells,
    after: Cells,
    *,
    dialect: str,
    by: str,
    comment: str,
    request_id: str,
) -> AppliedChange:
    """Store `after` as the next version if it differs. Raises InvalidChangeError."""
    edits = edits_between(before, after)
    if not any(edit.is_visible for edit in edits) and dialect == head.dialect:
        return AppliedChange(version=head.version, is_new=False)
    derived = checked(before, after, dialect_before=head.dialect, dialect=dialect)
    version = ConfigVersion.objects.create(
        number=head.version + 1,
        author=by,
        at=timezone.now(),
        comment=comment,
        request_id=request_id,
        dialect_before=head.dialect,
        dialect=dialect,
    )
    _write_edits(version, edits)
    _write_properties(edits)
    head.version, head.dialect = version.number, dialect
    head.save()
    clusters, flows = project(derived)
    return AppliedChange(
        version=version.number,
        is_new=True,
        differences=differences(edits),
        clusters=clusters,
        flows=flows,
        findings=_told(derived.findings, edits),
    )


def _told(findings: Sequence[ConfigFinding], edits: Sequence[Edit]) -> tuple[ConfigFinding, ...]:
    """Return the findings about properties that have changed."""
    keys = {edit.place.key for edit in edits}
    return tuple(each for each in findings if each.key in keys)


def _write_edits(version: ConfigVersion, edits: Sequence[Edit]) -> None:
    ConfigEdit.objects.bulk_create(
        ConfigEdit(
            version=version, **asdict(edit.place), before=cell_to_json(edit.before), after=cell_to_json(edit.after)
        )
        for edit in edits
    )


def _write_properties(edits: Sequence[Edit]) -> None:
    """Write the changed properties only."""
    ids = {place_of(row): row.pk for row in StoredProperty.objects.only("level", "alias", "source", "target", "name")}
    gone = [ids[edit.place] for edit in edits if edit.before is not None]
    for first in range(0, len(gone), 500):
        StoredProperty.objects.filter(pk__in=gone[first : first + 500]).delete()
    StoredProperty.objects.bulk_create(
        StoredProperty(**asdict(edit.place), **asdict(edit.after)) for edit in edits if edit.after is not None
    )
