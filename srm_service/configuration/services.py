"""Changes of the property tree. Each one makes a version and is published to the drivers after its transaction."""

from collections.abc import Sequence

import structlog
from django.db import transaction

from srm_service.configuration.cells import undone, with_changes
from srm_service.configuration.contracts import AppliedChange, PropertyChange
from srm_service.configuration.models import ConfigHead, ConfigVersion
from srm_service.configuration.selectors import check_version, edits_after, stored_cells
from srm_service.configuration.versioning import check_expected, commit_version, locked_head
from srm_service.flows.publishing import publish_quietly

_log = structlog.get_logger("audit")


def apply_changes(
    changes: Sequence[PropertyChange],
    *,
    by: str,
    comment: str,
    expected_version: int | None = None,
    request_id: str = "",
) -> AppliedChange:
    """Set and remove properties as one version; changes without effect make none.

    Raises VersionConflictError if the tree is at another version than expected, InvalidChangeError with every error
    that the changes bring.
    """
    with transaction.atomic():
        head = locked_head()
        check_expected(head, expected_version)
        before = stored_cells()
        after = with_changes(before, changes)
        applied = commit_version(
            head, before, after, dialect=head.dialect, by=by, comment=comment, request_id=request_id
        )
        announce(applied, by=by, comment=comment)
    return applied


def revert_to(
    number: int, *, by: str, comment: str = "", expected_version: int | None = None, request_id: str = ""
) -> AppliedChange:
    """Make the tree of an earlier version the next version, with its comments, origins and order.

    Raises VersionNotFoundError, VersionConflictError, InvalidChangeError.
    """
    with transaction.atomic():
        head = locked_head()
        check_version(number)
        check_expected(head, expected_version)
        before = stored_cells()
        after = undone(before, edits_after(number))
        applied = commit_version(
            head,
            before,
            after,
            dialect=_dialect_at(head, number),
            by=by,
            comment=comment or f"revert to version {number}",
            request_id=request_id,
        )
        announce(applied, by=by, comment=comment)
    return applied


def announce(applied: AppliedChange, *, by: str, comment: str) -> None:
    """Log a new version, and publish it to the targets that it concerns after the commit."""
    if not applied.is_new:
        return
    keys = [each.place.key for each in applied.differences]
    _log.info("configuration changed", version=applied.version, by=by, comment=comment, keys=keys)
    transaction.on_commit(lambda: publish_quietly())


def _dialect_at(head: ConfigHead, number: int) -> str:
    """Return the dialect of a version; of version 0, the one that the first version replaced."""
    following = ConfigVersion.objects.filter(number__gt=number).order_by("number").first()
    return head.dialect if following is None else following.dialect_before
