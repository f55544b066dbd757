"""Changes of the tree that depend on its content, made by forms of clusters and flows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction

from replication.config.tree.properties import PropertyTree
from srm_service.configuration.contracts import AppliedChange, PropertyChange
from srm_service.configuration.models import StoredProperty
from srm_service.configuration.selectors import current_tree
from srm_service.configuration.services import apply_changes
from srm_service.configuration.versioning import locked_head
from srm_service.trail.contracts import TrailSubject


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
    action: str,
    subjects: Sequence[TrailSubject],
    also: Callable[[], None] | None = None,
) -> AppliedChange:
    """Apply what `build` makes of the current tree, then run `also`, in one transaction.

    The trail gets an entry of the action for each subject. Changes of the tree follow one another, so what `build`
    checks holds until the end. Raises InvalidChangeError, and what `build` and `also` raise.
    """
    with transaction.atomic():
        locked_head()
        changes = build(current_tree())
        applied = apply_changes(
            changes,
            by=author.by,
            comment=author.comment,
            request_id=author.request_id,
            action=action,
            subjects=tuple(subjects),
        )
        if also is not None:
            also()
    return applied


def stored_state(*, alias: str = "", source: str = "", target: str = "") -> list[tuple[str, ...]]:
    """Return what is stored for a cluster or a flow, secrets sealed: two equal states have had no change between."""
    rows = StoredProperty.objects.filter(alias=alias, source=source, target=target).order_by("name")
    return list(rows.values_list("name", "value", "sealed", "comment"))
