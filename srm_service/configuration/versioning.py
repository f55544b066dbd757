"""Stores the next version of the tree, and derives clusters and flows from it, in one transaction."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from django.utils import timezone

from replication.config import ConfigFinding
from replication.config.tree import PropertyPlace, aliases_of
from replication.config.tree import place_of as place_of_key
from replication.config.tree.files import has_levels
from replication.domain.settings.registry.flow import CLUSTERS
from srm_service.clusters.services import alias_problem
from srm_service.configuration.cells import Cell, Cells, Edit, cell_to_json, differences, edits_between, folded
from srm_service.configuration.contracts import AppliedChange, InvalidChangeError, VersionConflictError
from srm_service.configuration.derived.derivation import Derived, derive
from srm_service.configuration.derived.projection import changed_clusters, changed_flows, project
from srm_service.configuration.models import ConfigEdit, ConfigHead, ConfigVersion, StoredProperty
from srm_service.configuration.moved_secrets import check_kept_secrets, touches_connections
from srm_service.configuration.place_rules import broken_limits
from srm_service.configuration.selectors import DEFAULT_DIALECT, edits_after, open_tree, place_of, tree_of
from srm_service.flows.derived_flows import flow_problems
from srm_service.trail.redaction import redacted_text


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
    derived = derive(tree, unreadable)
    return replace(derived, findings=(*derived.findings, *_beyond_columns(derived)))


def _beyond_columns(derived: Derived) -> Iterator[ConfigFinding]:
    """Yield an error for every cluster and flow that the tables cannot hold."""
    for cluster in derived.clusters:
        if problem := alias_problem(cluster.alias):
            yield ConfigFinding(severity="error", key=CLUSTERS.key, line=None, message=problem)
    for flow in derived.flows:
        for name, problem in flow_problems(flow).items():
            key = f"{flow.source}->{flow.target}"
            yield ConfigFinding(severity="error", key=key, line=None, message=f"{name}: {problem}")


def checked(
    before: Cells, after: Cells, *, dialect_before: str, dialect: str, earlier: Sequence[ConfigFinding] = ()
) -> Derived:
    """Return what follows from `after`.

    Raises InvalidChangeError for the errors in `earlier`, together with those that `before` does not have.
    """
    derived = derived_from(after, dialect)
    errors = [each for each in earlier if each.severity == "error"]
    if derived.errors:
        known = {(each.key, each.message) for each in derived_from(before, dialect_before).errors}
        errors += [each for each in derived.errors if (each.key, each.message) not in known]
    if errors:
        warnings = [each for each in earlier if each.severity == "warning"]
        raise InvalidChangeError([*dict.fromkeys((*warnings, *errors))])
    return derived


@dataclass(frozen=True, slots=True, kw_only=True)
class NextVersion:
    """The next version before it is stored: its edits, and the clusters and flows that follow."""

    edits: tuple[Edit, ...]
    derived: Derived
    findings: tuple[ConfigFinding, ...]
    is_new: bool


def next_version(
    head: ConfigHead,
    before: Cells,
    after: Cells,
    *,
    dialect: str,
    earlier: Sequence[ConfigFinding] = (),
    given: Collection[str],
) -> NextVersion:
    """Return what `after` leads to; `earlier` are findings about its file, `given` the keys whose values it has.

    Raises InvalidChangeError, and SecretsNotSentError for secrets that are not given and would move.
    """
    after = with_present_places(after, dialect)
    edits = edits_between(before, after)
    broken = broken_limits((edit.place, edit.after) for edit in edits if edit.after is not None)
    if broken:
        raise InvalidChangeError((*earlier, *broken))
    derived = checked(before, after, dialect_before=head.dialect, dialect=dialect, earlier=earlier)
    if touches_connections(edits):
        present = derived_from(before, head.dialect)
        check_kept_secrets(present.clusters, derived.clusters, wanted=after, given=given)
    return NextVersion(
        edits=edits,
        derived=derived,
        findings=(*earlier, *_told(derived.findings, edits)),
        is_new=any(edit.is_visible for edit in edits) or dialect != head.dialect,
    )


def with_present_places(cells: Cells, dialect: str) -> Cells:
    """Return the cells with keys on the level that they name: `x.y` belongs to the cluster x once there is one."""
    aliases = aliases_of(tree_of(cells, dialect))
    found: dict[PropertyPlace, Cell] = {}
    for place, cell in cells.items():
        known = place
        if place.level not in ("cluster", "flow"):
            known = place_of_key(place.key, aliases=aliases, has_levels=has_levels(dialect))
        if known == place or known not in cells:
            found[known] = cell
    return found


def preview_version(head: ConfigHead, before: Cells, step: NextVersion) -> AppliedChange:
    """Return the effect that the next version would have, without storing it."""
    present = derived_from(before, head.dialect)
    return AppliedChange(
        version=head.version,
        is_new=step.is_new,
        differences=differences(step.edits),
        clusters=changed_clusters(present, step.derived),
        flows=changed_flows(present, step.derived),
        findings=step.findings,
    )


def commit_version(
    head: ConfigHead, step: NextVersion, *, dialect: str, by: str, comment: str, request_id: str
) -> AppliedChange:
    """Store the next version, and the clusters and flows that follow from it; nothing if nothing has changed."""
    if not step.is_new:
        return AppliedChange(version=head.version, is_new=False, findings=step.findings)
    version = ConfigVersion.objects.create(
        number=head.version + 1,
        author=by,
        at=timezone.now(),
        comment=redacted_text(comment),
        request_id=request_id,
        dialect_before=head.dialect,
        dialect=dialect,
    )
    _write_edits(version, step.edits)
    _write_properties(step.edits)
    head.version, head.dialect = version.number, dialect
    head.save()
    clusters, flows = project(step.derived)
    return AppliedChange(
        version=version.number,
        is_new=True,
        differences=differences(step.edits),
        clusters=clusters,
        flows=flows,
        findings=step.findings,
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
