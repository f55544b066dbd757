"""Changes of the tree that depend on its content, made by forms of clusters and flows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction

from replication.config.tree.properties import PropertyTree
from srm_service.configuration.contracts import AppliedChange, PropertyChange, VersionConflictError
from srm_service.configuration.selectors import current_tree, current_version
from srm_service.configuration.services import apply_changes

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FormAuthor:
    """The person who changes the tree, and the reason."""

    by: str
    comment: str = ""
    request_id: str = ""


def change_tree(
    build: Callable[[PropertyTree], Sequence[PropertyChange]],
    author: FormAuthor,
    *,
    also: Callable[[], None] | None = None,
) -> AppliedChange:
    """Apply what `build` makes of the current tree; `also` runs in the same transaction.

    `build` checks the present state and runs again if another change came first. Raises InvalidChangeError,
    VersionConflictError if changes keep coming, and what `build` raises.
    """
    for attempt in range(_ATTEMPTS):
        version = current_version()
        changes = build(current_tree())
        try:
            with transaction.atomic():
                applied = apply_changes(
                    changes,
                    by=author.by,
                    comment=author.comment,
                    expected_version=version,
                    request_id=author.request_id,
                )
                if also is not None:
                    also()
                return applied
        except VersionConflictError:
            if attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")
