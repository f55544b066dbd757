"""Writes a property tree as the text of a file, in any of the formats."""

from replication.config.files.findings import Findings
from replication.config.tree.files import TreeFormat, WrittenTree
from replication.config.tree.formats.properties_files import write_properties_file
from replication.config.tree.properties import PropertyTree


def write_tree(tree: PropertyTree, *, format: TreeFormat) -> WrittenTree:
    """Return the text of a file; what the format cannot hold is not written, and a finding names it."""
    findings = Findings()
    if format == "operator":
        from replication.config.tree.operator.writer import write_resources

        text = write_resources(tree, findings)
        return WrittenTree(text=text, findings=findings.all())
    return WrittenTree(text=write_properties_file(tree))
