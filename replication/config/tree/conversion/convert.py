"""Converts a tree into another dialect; values that are in force stay in force, and findings name the rest."""

from replication.config.files.dialects import DIALECTS, default_of
from replication.config.files.findings import Findings
from replication.config.tree.conversion.draft import Draft
from replication.config.tree.conversion.levels import with_levels, without_levels
from replication.config.tree.conversion.resources import on_flows, without_resources
from replication.config.tree.files import ConvertedTree, TreeFormat, has_levels
from replication.config.tree.properties import PropertyPlace, PropertyTree, TreeProperty
from replication.config.tree.resolution import aliases_of
from replication.domain.settings.registry.all_settings import find_setting


def convert_tree(tree: PropertyTree, *, dialect: str) -> ConvertedTree:
    """Return a tree of another dialect, with a finding for everything that it cannot hold."""
    findings = Findings()
    converted = _with_defaults(_of_dialect(tree, dialect, findings), tree.dialect, findings)
    return ConvertedTree(tree=converted, findings=findings.all())


def fitted_tree(tree: PropertyTree, *, format: TreeFormat, dialect: str) -> ConvertedTree:
    """Return a tree that a format can hold; resources have no global level."""
    findings = Findings()
    if format == "operator" and has_levels(tree.dialect):
        folded = convert_tree(tree, dialect="mm2")
        findings.extend(folded.findings)
        tree = folded.tree
    converted = convert_tree(tree, dialect=dialect)
    findings.extend(converted.findings)
    if format != "operator":
        return ConvertedTree(tree=converted.tree, findings=findings.all())
    draft = Draft(converted.tree.properties, findings)
    on_flows(draft, aliases_of(tree))
    fitted = PropertyTree(dialect=dialect, properties=tuple(draft.after.values()))
    return ConvertedTree(tree=fitted, findings=findings.all())


def _of_dialect(tree: PropertyTree, dialect: str, findings: Findings) -> PropertyTree:
    properties = tree.properties
    if tree.dialect == "operator" and dialect != "operator":
        draft = Draft(properties, findings)
        without_resources(draft)
        properties = tuple(draft.after.values())
    draft = Draft(properties, findings)
    if has_levels(dialect):
        if not has_levels(tree.dialect):
            with_levels(draft)
            properties = tuple(draft.after.values())
    elif dialect != "operator" or tree.dialect != "operator":
        without_levels(draft, aliases_of(tree), had_levels=has_levels(tree.dialect))
        properties = tuple(draft.after.values())
    return PropertyTree(dialect=dialect, properties=properties)


def _with_defaults(tree: PropertyTree, before: str, findings: Findings) -> PropertyTree:
    """Write the defaults of the other dialect that are different here."""
    added: list[TreeProperty] = []
    present = {each.place for each in tree.properties}
    for key in dict.fromkeys((*DIALECTS[before].defaults, *DIALECTS[tree.dialect].defaults)):
        setting = find_setting(key)
        if setting is None or default_of(setting, before) == default_of(setting, tree.dialect):
            continue
        place = PropertyPlace(level="global", name=key)
        if place not in present and PropertyPlace(level="connectors", name=key) not in present:
            value = default_of(setting, before) or ""
            added.append(TreeProperty(place=place, value=value))
            findings.note(key, f"is written as {value!r}, the default of {before}; that of {tree.dialect} is another")
    return PropertyTree(dialect=tree.dialect, properties=(*tree.properties, *added))
