"""Imports a tree that was read from a file; repeating an import changes nothing."""

import hashlib
import re
from collections.abc import Collection
from dataclasses import replace

from django.db import transaction

from replication.config.tree import aliases_of, convert_tree
from replication.config.tree.files import TreeFile
from replication.config.tree.properties import PropertyPlace, PropertyTree
from replication.domain.names.filters import split_list
from replication.domain.settings.registry.flow import CLUSTERS
from srm_service.configuration.cells import Cell, Cells, has_same_value, sealed_cell
from srm_service.configuration.contracts import HIDDEN_VALUE, AppliedChange
from srm_service.configuration.models import ConfigHead
from srm_service.configuration.services import Order, Wanted, store
from srm_service.configuration.versioning import locked_head
from srm_service.trail.redaction import redacted_comment

EARLIER_RELEASE = "earlier release"  # the origin that migrations write
_LINE = re.compile(r"(.+):\d+")
_CLUSTERS = PropertyPlace(level="global", name=CLUSTERS.key)


def import_tree(
    file: TreeFile,
    *,
    by: str,
    comment: str,
    replaces: bool = False,
    expected_version: int | None = None,
    request_id: str = "",
    dry_run: bool = False,
) -> AppliedChange:
    """Store the tree of a file as one version; `findings` of the result holds those of the file, too.

    Properties that the file does not have are kept, except those that an earlier import brought from the same file;
    with `replaces`, all of them are removed. A file of another dialect is converted to that of the properties that are
    kept. A hidden value keeps the stored secret. Raises VersionConflictError, InvalidChangeError.
    """

    def wanted(head: ConfigHead, before: Cells) -> Wanted:
        kept = {} if replaces else _kept(before, file.tree)
        tree, findings = file.tree, file.findings
        if kept and head.dialect != tree.dialect:
            converted = convert_tree(tree, dialect=head.dialect)
            tree, findings = converted.tree, (*findings, *converted.findings)
        given = frozenset(each.place.key for each in tree.properties if each.value != HIDDEN_VALUE)
        return Wanted(merged(before, kept, tree), tree.dialect, findings, given)

    return store(
        Order(by=by, comment=comment, request_id=request_id, expected_version=expected_version, dry_run=dry_run),
        wanted,
    )


def is_imported(content: str) -> bool:
    """Return True if this was the content of the file that was imported last."""
    return ConfigHead.objects.filter(imported_sha256=_digest(content)).exists()


def note_import(content: str) -> None:
    """Remember the content of the file that was imported last."""
    with transaction.atomic():
        head = locked_head()
        head.imported_sha256 = _digest(content)
        head.save()


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def _kept(before: Cells, tree: PropertyTree) -> dict[PropertyPlace, Cell]:
    """Return the stored properties that the import does not touch.

    Those of an earlier release have no levels of their file: a file that names their clusters replaces them.
    """
    places = {each.place for each in tree.properties}
    files = {_file(each.origin) for each in tree.properties} - {None}
    aliases = {"", *aliases_of(tree)}
    return {
        place: cell
        for place, cell in before.items()
        if place not in places
        and _file(cell.origin) not in files
        and not (cell.origin == EARLIER_RELEASE and {place.alias, place.source, place.target} <= aliases)
    }


def merged(before: Cells, kept: Cells, tree: PropertyTree) -> dict[PropertyPlace, Cell]:
    """Return the content after the import: the file's properties in its order, then the kept ones in theirs."""
    after = {each.place: _cell(before.get(each.place), tree, number) for number, each in enumerate(tree.properties)}
    if kept and _CLUSTERS in after and _CLUSTERS in before:
        after[_CLUSTERS] = _joined(after[_CLUSTERS], before[_CLUSTERS], {*after, *kept})
    ordered = sorted(kept.items(), key=lambda item: item[1].position)
    return after | {
        place: replace(cell, position=number) for number, (place, cell) in enumerate(ordered, start=len(after))
    }


def _cell(known: Cell | None, tree: PropertyTree, number: int) -> Cell:
    """Return the content of a property of the file; an equal secret keeps its token."""
    each = tree.properties[number]
    if known is not None and each.value == HIDDEN_VALUE:
        return replace(known, comment=redacted_comment(each.comment), position=number)
    cell = sealed_cell(each.place, each.value, comment=each.comment, origin=each.origin, position=number)
    if known is not None and cell.sealed and has_same_value(known, cell):
        return replace(cell, sealed=known.sealed)
    return cell


def _joined(imported_aliases: Cell, stored: Cell, places: Collection[PropertyPlace]) -> Cell:
    """Add the stored clusters that still have properties."""
    used = {alias for place in places for alias in (place.alias, place.source, place.target)}
    aliases = split_list(imported_aliases.value)
    others = [alias for alias in split_list(stored.value) if alias in used and alias not in aliases]
    return replace(imported_aliases, value=", ".join((*aliases, *others))) if others else imported_aliases


def _file(origin: str) -> str | None:
    """The file in an origin such as `mm2.properties:12`; None for other origins."""
    match = _LINE.fullmatch(origin)
    return match[1] if match else None
