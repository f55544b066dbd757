"""Java's properties files: `mm2.properties` and `srm.properties`."""

from collections.abc import Sequence
from dataclasses import replace

from replication.config.files.findings import Findings
from replication.config.files.java_properties import RawProperty, read_properties, written_property
from replication.config.flows.model import Property
from replication.config.tree.formats.collecting import Collector
from replication.config.tree.placing import place_of
from replication.config.tree.properties import PropertyTree, TreeProperty
from replication.domain.settings.registry.flow import CLUSTERS

_BYTE_ORDER_MARK = "\ufeff"


def read_properties_file(text: str, *, name: str, has_levels: bool, findings: Findings) -> tuple[TreeProperty, ...]:
    """Return the properties; a comment belongs to the property below it, one at the end to the last property."""
    found = read_properties(text.removeprefix(_BYTE_ORDER_MARK))
    for error in found.errors:
        prop = Property(key=name, value="", line=error.line)
        findings.error(prop, f"{error.problem}; write \\\\ for a backslash")
    properties = placed(found.properties, name=name, has_levels=has_levels, findings=findings)
    if not found.closing_comment:
        return properties
    if not properties:
        findings.warning(name, "holds comments only; they are not kept")
        return properties
    *others, last = properties
    findings.note(last.place.key, "keeps the comment at the end of the file")
    comment = "\n".join(filter(None, (last.comment, found.closing_comment)))
    return (*others, replace(last, comment=comment))


def placed(raws: Sequence[RawProperty], *, name: str, has_levels: bool, findings: Findings) -> tuple[TreeProperty, ...]:
    """Return the properties with their places; the last `clusters` names the aliases."""
    aliases = next((CLUSTERS.parse(raw.value) for raw in reversed(raws) if raw.key == CLUSTERS.key), ())
    collector = Collector(name, findings)
    for raw in raws:
        place = place_of(raw.key, aliases=aliases, has_levels=has_levels)
        collector.add(place, raw.value, line=raw.line, comment=raw.comment)
    return collector.properties()


def write_properties_file(tree: PropertyTree) -> str:
    """Return the text of a file; a blank line precedes a property with a comment."""
    lines: list[str] = []
    for prop in tree.properties:
        if prop.comment:
            lines += ["", *(f"# {line}".rstrip() for line in prop.comment.split("\n"))]
        lines.append(written_property(prop.place.key, prop.value))
    return "\n".join(lines).lstrip("\n") + "\n" if lines else ""
