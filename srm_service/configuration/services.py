"""Changes of the property tree. Each one makes a version and is published to the drivers after its transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.db import transaction

from replication.config import ConfigFinding
from srm_service.configuration.cells import Cells, undone, with_changes
from srm_service.configuration.change_entries import CHANGE, change_entries
from srm_service.configuration.contracts import HIDDEN_VALUE, AppliedChange, PropertyChange
from srm_service.configuration.derived.derivation import Derived
from srm_service.configuration.derived.projection import project
from srm_service.configuration.models import ConfigHead, ConfigVersion
from srm_service.configuration.selectors import check_version, edits_after, stored_cells
from srm_service.configuration.versioning import (
    check_expected,
    commit_version,
    derived_from,
    locked_head,
    next_version,
    preview_version,
)
from srm_service.flows.publishing import publish_quietly
from srm_service.trail.contracts import TrailSubject
from srm_service.trail.services import record

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The person who changes the configuration, the reason, and the version that the person knows.

    The trail gets an entry of the action for each subject; without one, the subject follows from the change.
    """

    by: str
    comment: str
    request_id: str = ""
    expected_version: int | None = None
    dry_run: bool = False
    action: str = CHANGE
    subjects: tuple[TrailSubject, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """The content that the next version shall have; `findings` are those of its file."""

    cells: Cells
    dialect: str
    findings: tuple[ConfigFinding, ...] = ()
    given: frozenset[str] = frozenset()  # keys whose values a person has entered


def apply_changes(
    changes: Sequence[PropertyChange],
    *,
    by: str,
    comment: str,
    expected_version: int | None = None,
    request_id: str = "",
    dry_run: bool = False,
    action: str = CHANGE,
    subjects: tuple[TrailSubject, ...] = (),
) -> AppliedChange:
    """Set and remove properties as one version; changes without effect make none.

    With `dry_run`, nothing is stored. Raises VersionConflictError if the tree is at another version than expected,
    InvalidChangeError with every error that the changes bring.
    """
    order = Order(
        by=by,
        comment=comment,
        request_id=request_id,
        expected_version=expected_version,
        dry_run=dry_run,
        action=action,
        subjects=subjects,
    )
    given = _given(changes)
    return store(order, lambda head, before: Wanted(with_changes(before, changes), head.dialect, given=given))


def revert_to(
    number: int,
    *,
    by: str,
    comment: str = "",
    expected_version: int | None = None,
    request_id: str = "",
    dry_run: bool = False,
) -> AppliedChange:
    """Make the tree of an earlier version the next version, with its comments, origins and order.

    Raises VersionNotFoundError, VersionConflictError, InvalidChangeError.
    """
    check_version(number)
    text = comment or f"revert to version {number}"
    order = Order(by=by, comment=text, request_id=request_id, expected_version=expected_version, dry_run=dry_run)
    return store(order, lambda head, before: Wanted(undone(before, edits_after(number)), _dialect_at(head, number)))


def store(order: Order, wanted: Callable[[ConfigHead, Cells], Wanted]) -> AppliedChange:
    """Store the content that `wanted` makes of the present one, under the lock of the current version."""
    with transaction.atomic():
        head = locked_head()
        check_expected(head, order.expected_version)
        before = stored_cells()
        found = wanted(head, before)
        step = next_version(head, before, found.cells, dialect=found.dialect, earlier=found.findings, given=found.given)
        if order.dry_run:
            return preview_version(head, before, step)
        applied = commit_version(
            head, step, dialect=found.dialect, by=order.by, comment=order.comment, request_id=order.request_id
        )
        _announce(applied, order)
    return applied


def rehearse(changes: Sequence[PropertyChange], read: Callable[[Derived], Found]) -> tuple[AppliedChange, Found, Found]:
    """Return the effect of the changes, and what `read` finds before and after them. All of it is rolled back.

    Raises InvalidChangeError as `apply_changes` does.
    """
    with transaction.atomic():
        head = locked_head()
        stored = stored_cells()
        step = next_version(head, stored, with_changes(stored, changes), dialect=head.dialect, given=_given(changes))
        effect = preview_version(head, stored, step)
        before = read(derived_from(stored, head.dialect))
        project(step.derived)
        after = read(step.derived)
        transaction.set_rollback(True)
    return effect, before, after


def derive_again() -> bool:
    """Write clusters and flows again if the tree has references, whose values may have changed. True if they have."""
    cells = stored_cells()
    if not any("${" in cell.value for cell in cells.values()):
        return False
    with transaction.atomic():
        head = locked_head()
        clusters, flows = project(derived_from(stored_cells(), head.dialect))
    return bool(clusters or flows)


def _given(changes: Sequence[PropertyChange]) -> frozenset[str]:
    return frozenset(each.place.key for each in changes if each.value not in (None, HIDDEN_VALUE))


def _announce(applied: AppliedChange, order: Order) -> None:
    """Record a new version, and publish it after the commit."""
    if applied.is_new:
        for entry in change_entries(applied, order.subjects):
            record(
                by=order.by,
                action=order.action,
                subject=entry.subject,
                before=entry.before,
                after=entry.after,
                reason=order.comment,
                request_id=order.request_id,
            )
        transaction.on_commit(lambda: publish_quietly())


def _dialect_at(head: ConfigHead, number: int) -> str:
    """Return the dialect of a version; of version 0, the one that the first version replaced."""
    following = ConfigVersion.objects.filter(number__gt=number).order_by("number").first()
    return head.dialect if following is None else following.dialect_before
