"""The content of stored properties, and the edits that lead from one content to another. Secrets stay sealed."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from replication.config.security.secrets import is_secret_name
from replication.config.tree.properties import PropertyPlace
from srm_service.clusters.secret_box import SecretsUnreadableError, decrypt, encrypt
from srm_service.configuration.contracts import HIDDEN_VALUE, PropertyChange, PropertyDifference
from srm_service.trail.redaction import redacted_comment

_REFERENCES = re.compile(r"\s*(\$\{(file|env|dir):[^}]*\}\s*)+")
_FIELD = "value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The stored content of a place. A secret is in `sealed`, and `value` is empty."""

    value: str = ""
    sealed: str = field(default="", repr=False)
    comment: str = ""
    origin: str = ""
    position: int = 0

    @property
    def shown(self) -> str:
        """The value for answers and exports."""
        return HIDDEN_VALUE if self.sealed else self.value


Cells = Mapping[PropertyPlace, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """The content of a place before and after a version; None: there is no property."""

    place: PropertyPlace
    before: Cell | None
    after: Cell | None

    @property
    def is_visible(self) -> bool:
        """False if only the origin or the position differs."""
        if self.before is None or self.after is None:
            return self.before is not self.after
        return self.before.comment != self.after.comment or not has_same_value(self.before, self.after)


def sealed_cell(place: PropertyPlace, value: str, *, comment: str, origin: str, position: int) -> Cell:
    """Return the cell of a value; a secret that is not a reference is sealed, and hidden in the comment."""
    is_plain = value.strip() in ("", HIDDEN_VALUE) or _REFERENCES.fullmatch(value) is not None
    is_secret = is_secret_name(place.name) and not is_plain
    return Cell(
        value="" if is_secret else value,
        sealed=encrypt({_FIELD: value}) if is_secret else "",
        comment=redacted_comment(comment),
        origin=origin,
        position=position,
    )


def opened(cell: Cell) -> str:
    """Return the value, decrypted. Raises SecretsUnreadableError."""
    return decrypt(cell.sealed)[_FIELD] if cell.sealed else cell.value


def has_same_value(one: Cell, other: Cell) -> bool:
    """Return True if both have one value; secrets that cannot be read are equal if their tokens are."""
    if one.sealed == other.sealed:
        return one.value == other.value
    try:
        return opened(one) == opened(other)
    except SecretsUnreadableError:
        return False


def with_changes(cells: Cells, changes: Iterable[PropertyChange]) -> dict[PropertyPlace, Cell]:
    """Return the cells after the changes. New properties follow at the end; a hidden value keeps the stored one."""
    after = dict(cells)
    end = max((cell.position for cell in cells.values()), default=0)
    for change in changes:
        known = after.get(change.place)
        if change.value is None:
            after.pop(change.place, None)
            continue
        end += known is None
        comment = (known.comment if known else "") if change.comment is None else redacted_comment(change.comment)
        position = known.position if known else end
        if change.value == HIDDEN_VALUE and known is not None:
            after[change.place] = replace(known, comment=comment)
            continue
        changed = sealed_cell(change.place, change.value, comment=comment, origin=change.origin, position=position)
        is_same = known is not None and known.comment == comment and has_same_value(known, changed)
        after[change.place] = known if known is not None and is_same else changed
    return after


def edits_between(before: Cells, after: Cells) -> tuple[Edit, ...]:
    """Return an edit per place that differs in anything, by position."""
    places = [place for place in {**before, **after} if before.get(place) != after.get(place)]
    return tuple(Edit(place=place, before=before.get(place), after=after.get(place)) for place in places)


def folded(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Join consecutive edits: the content of each place before the first and after the last one."""
    joined: dict[PropertyPlace, Edit] = {}
    for edit in edits:
        first = joined.get(edit.place)
        joined[edit.place] = edit if first is None else replace(first, after=edit.after)
    return tuple(joined.values())


def undone(cells: Cells, edits: Iterable[Edit]) -> dict[PropertyPlace, Cell]:
    """Return the cells before these edits, which lead to `cells`."""
    result = dict(cells)
    for edit in folded(edits):
        if edit.before is None:
            result.pop(edit.place, None)
        else:
            result[edit.place] = edit.before
    return result


def differences(edits: Iterable[Edit]) -> tuple[PropertyDifference, ...]:
    """Return the visible edits without secrets, by place."""
    visible = sorted((edit for edit in edits if edit.is_visible), key=lambda edit: edit.place)
    return tuple(
        PropertyDifference(
            place=edit.place,
            before=edit.before.shown if edit.before else None,
            after=edit.after.shown if edit.after else None,
            comment_before=edit.before.comment if edit.before else None,
            comment_after=edit.after.comment if edit.after else None,
            is_secret=any(cell is not None and cell.sealed != "" for cell in (edit.before, edit.after)),
        )
        for edit in visible
    )


def cell_to_json(cell: Cell | None) -> dict[str, Any] | None:
    return None if cell is None else asdict(cell)


def cell_from_json(state: Mapping[str, Any] | None) -> Cell | None:
    return None if state is None else Cell(**state)
