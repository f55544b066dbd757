"""Queries of the property tree and its versions."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime

from django.db.models import Count, QuerySet

from replication.config.files.providers import ProviderError, resolve
from replication.config.flows.manager import manager_settings
from replication.config.flows.model import ManagerSettings
from replication.config.tree.chains.effective import effect_of
from replication.config.tree.chains.owners import claims_of
from replication.config.tree.properties import TREE_LEVELS, PropertyPlace, PropertyTree, TreeLevel, TreeProperty
from replication.config.tree.resolution import aliases_of, remarks
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.manager import PREFIX
from srm_service.clusters.secret_box import SecretsUnreadableError
from srm_service.configuration.cells import Cell, Cells, Edit, cell_from_json, differences, folded, opened
from srm_service.configuration.contracts import PropertyDifference, VersionDto, VersionNotFoundError
from srm_service.configuration.models import ConfigEdit, ConfigHead, ConfigVersion, Placed, StoredProperty

DEFAULT_DIALECT = "srm"  # a new flow copies nothing until its lists allow something
_LEVELS: dict[str, TreeLevel] = {level: level for level in TREE_LEVELS}


def current_version() -> int:
    """The number of the version in force; 0 before the first change."""
    return ConfigHead.objects.values_list("version", flat=True).first() or 0


def current_dialect() -> str:
    """The dialect whose defaults and prefix rules apply."""
    return ConfigHead.objects.values_list("dialect", flat=True).first() or DEFAULT_DIALECT


def current_tree() -> PropertyTree:
    """The tree in force; secrets are replaced by HIDDEN_VALUE."""
    return tree_of(stored_cells(), current_dialect())


def system_settings() -> ManagerSettings:
    """The manager's own keys in force. One query; a reference that leads nowhere counts as not given."""
    given: dict[str, str] = {}
    for row in StoredProperty.objects.filter(level="global", name__startswith=PREFIX, sealed=""):
        with suppress(ProviderError):
            given[row.name] = resolve(row.value)
    return manager_settings(given)


def stored_cells() -> dict[PropertyPlace, Cell]:
    """The content of the tree by place, secrets sealed. One query."""
    return {place_of(row): cell_of(row) for row in StoredProperty.objects.all()}


def tree_of(cells: Cells, dialect: str) -> PropertyTree:
    """The tree of these cells; secrets are replaced by HIDDEN_VALUE."""
    return PropertyTree(
        dialect=dialect,
        properties=tuple(
            TreeProperty(place=place, value=cell.shown, comment=cell.comment, origin=cell.origin)
            for place, cell in _ordered(cells)
        ),
    )


def open_tree(cells: Cells, dialect: str) -> tuple[PropertyTree, frozenset[PropertyPlace]]:
    """The tree with its secrets, never for an answer, and the places of secrets that cannot be decrypted."""
    properties: list[TreeProperty] = []
    unreadable: set[PropertyPlace] = set()
    for place, cell in _ordered(cells):
        try:
            value = opened(cell)
        except SecretsUnreadableError:
            value = cell.shown
            unreadable.add(place)
        properties.append(TreeProperty(place=place, value=value, comment=cell.comment, origin=cell.origin))
    return PropertyTree(dialect=dialect, properties=tuple(properties)), frozenset(unreadable)


def effects_here(tree: PropertyTree) -> dict[PropertyPlace, tuple[str, str]]:
    """The effect of each property in this system, and what there is to say about it; "none" if it has no effect."""
    notes, aliases = remarks(tree), aliases_of(tree)
    return {
        each.place: _effect(each.place, notes.get(each.place.key, ""), aliases, tree.dialect)
        for each in tree.properties
    }


def _effect(place: PropertyPlace, note: str, aliases: Sequence[str], dialect: str) -> tuple[str, str]:
    flow = FlowId(place.source, place.target)
    if place.level != "flow":  # any flow that the property concerns
        others = [alias for alias in aliases if alias != place.alias]
        flow = FlowId(place.alias or (others or [""])[0], (others or [""])[-1])
    claims = list(claims_of(place, flow, dialect=dialect))
    used = [effect_of(claim.client, claim.name) for claim in claims if claim.rank is not None]
    if used:
        return used[0][0], note or used[0][1]
    unknown = [effect for effect in (effect_of(claim.client, claim.name) for claim in claims) if effect[0] == "unknown"]
    return (unknown[0][0], note or unknown[0][1]) if unknown else ("none", note or "has no effect on this level")


def version_rows(
    *, author: str = "", since: datetime | None = None, before: datetime | None = None
) -> QuerySet[ConfigVersion]:
    """Versions, newest first; `version_of` reads one of them without its edits."""
    rows = ConfigVersion.objects.annotate(edit_count=Count("edits")).order_by("-number")
    if author:
        rows = rows.filter(author=author)
    if since is not None:
        rows = rows.filter(at__gte=since)
    return rows if before is None else rows.filter(at__lt=before)


def version_of(row: ConfigVersion) -> VersionDto:
    """A row of `version_rows`."""
    return _version(row, vars(row)["edit_count"])


def version_find(number: int) -> VersionDto | None:
    row = ConfigVersion.objects.filter(number=number).first()
    return None if row is None else _version(row, row.edits.count())


def version_diff(before: int, after: int) -> tuple[PropertyDifference, ...]:
    """The differences from one version to another; `before` may be the later one. Raises VersionNotFoundError."""
    for number in (before, after):
        check_version(number)
    low, high = sorted((before, after))
    edits = folded(edits_after(low, up_to=high))
    if before > after:
        edits = tuple(Edit(place=edit.place, before=edit.after, after=edit.before) for edit in edits)
    return differences(edits)


def check_version(number: int) -> None:
    """Raise VersionNotFoundError unless the number is that of a version, or 0."""
    if number != 0 and not ConfigVersion.objects.filter(number=number).exists():
        raise VersionNotFoundError(f"there is no version {number}; GET /api/v2/config/versions lists all")


def edits_after(number: int, *, up_to: int | None = None) -> tuple[Edit, ...]:
    """The edits of all versions after this one, oldest first."""
    rows = ConfigEdit.objects.filter(version__number__gt=number).order_by("version__number", "id")
    if up_to is not None:
        rows = rows.filter(version__number__lte=up_to)
    return tuple(
        Edit(place=place_of(row), before=cell_from_json(row.before), after=cell_from_json(row.after)) for row in rows
    )


def place_of(row: Placed) -> PropertyPlace:
    return PropertyPlace(level=_LEVELS[row.level], alias=row.alias, source=row.source, target=row.target, name=row.name)


def cell_of(row: StoredProperty) -> Cell:
    return Cell(value=row.value, sealed=row.sealed, comment=row.comment, origin=row.origin, position=row.position)


def _ordered(cells: Cells) -> Iterable[tuple[PropertyPlace, Cell]]:
    return sorted(cells.items(), key=lambda item: (item[1].position, item[0]))


def _version(row: ConfigVersion, edits: int) -> VersionDto:
    return VersionDto(
        number=row.number,
        author=row.author,
        at=row.at,
        comment=row.comment,
        request_id=row.request_id,
        dialect=row.dialect,
        edits=edits,
    )
