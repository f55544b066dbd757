"""Writes a property tree as the text of a file, in any of the formats."""

from replication.config.files.findings import Findings
from replication.config.flows.model import Property
from replication.config.tree.conversion.convert import fitted_tree
from replication.config.tree.files import FORMAT_DIALECTS, SEPARATORS, TreeFormat, WrittenTree, has_levels
from replication.config.tree.formats.properties_files import write_properties_file
from replication.config.tree.formats.separated_configs import write_separated
from replication.config.tree.placing import place_of
from replication.config.tree.properties import PropertyTree
from replication.config.tree.resolution import aliases_of


def write_tree(tree: PropertyTree, *, format: TreeFormat) -> WrittenTree:
    """Return the text of a file; what the format cannot hold is not written, and a finding names it."""
    dialect = FORMAT_DIALECTS[format]
    fitted = fitted_tree(tree, format=format, dialect=dialect)
    findings = Findings()
    findings.extend(fitted.findings)
    if format == "operator":
        from replication.config.tree.operator.writer import write_resources

        text = write_resources(fitted.tree, findings)
    elif format in SEPARATORS:
        text = write_separated(_readable(fitted.tree, findings), separator=SEPARATORS[format], findings=findings)
    else:
        text = write_properties_file(_readable(fitted.tree, findings))
    return WrittenTree(text=text, findings=findings.all())


def _readable(tree: PropertyTree, findings: Findings) -> PropertyTree:
    """Return the properties that a reader would put at the same place."""
    aliases = aliases_of(tree)
    kept = []
    for prop in tree.properties:
        place = place_of(prop.place.key, aliases=aliases, has_levels=has_levels(tree.dialect))
        if place == prop.place:
            kept.append(prop)
        else:
            shown = Property(key=prop.place.key, value="", line=prop.line)
            findings.error(shown, f"is not written: a reader would take it as a key of the level {place.level}")
    return PropertyTree(dialect=tree.dialect, properties=tuple(kept))
