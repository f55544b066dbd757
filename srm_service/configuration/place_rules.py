"""The limits of stored properties: shapes of places, lengths, characters that no database keeps."""

from collections.abc import Iterable, Iterator

from replication.config import ConfigFinding
from replication.config.tree.properties import PropertyPlace, line_of
from srm_service.configuration.cells import Cell
from srm_service.configuration.models import ALIAS_LENGTH, COMMENT_LENGTH, NAME_LENGTH, ORIGIN_LENGTH

VALUE_LENGTH = 100_000


def broken_limits(stored: Iterable[tuple[PropertyPlace, Cell]]) -> tuple[ConfigFinding, ...]:
    """Return an error for everything that cannot be stored."""
    return tuple(
        ConfigFinding(severity="error", key=place.key[:NAME_LENGTH], line=line_of(cell.origin), message=message)
        for place, cell in stored
        for message in (*_of_place(place), *_of_cell(cell))
    )


def _of_place(place: PropertyPlace) -> Iterator[str]:
    if not place.name.strip():
        yield "has no name; write one behind the prefix"
    if len(place.name) > NAME_LENGTH:
        yield f"has a name of more than {NAME_LENGTH} characters"
    if place.level == "flow" and (not place.source or not place.target or place.source == place.target):
        yield "needs two different clusters, a source and a target"
    if place.level != "flow" and (place.source or place.target):
        yield "has a source or a target, which belong to the level flow"
    if (place.level == "cluster") != (place.alias != ""):
        yield "needs an alias on the level cluster, and on no other"
    aliases = (place.alias, place.source, place.target)
    if any(len(alias) > ALIAS_LENGTH for alias in aliases):
        yield f"has an alias of more than {ALIAS_LENGTH} characters"
    if "\0" in "".join((place.name, *aliases)):
        yield "holds a NUL character, which cannot be stored; remove it"


def _of_cell(cell: Cell) -> Iterator[str]:
    if len(cell.value) > VALUE_LENGTH:
        yield f"has a value of more than {VALUE_LENGTH} characters"
    if len(cell.comment) > COMMENT_LENGTH:
        yield f"has a comment of more than {COMMENT_LENGTH} characters"
    if len(cell.origin) > ORIGIN_LENGTH:
        yield f"has an origin of more than {ORIGIN_LENGTH} characters"
    if any("\0" in text for text in (cell.value, cell.comment, cell.origin)):
        yield "holds a NUL character, which cannot be stored; remove it"
