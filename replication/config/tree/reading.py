"""Reads the text of a file into a property tree, in any of the formats."""

from replication.config.files.findings import Findings
from replication.config.flows.model import ConfigError
from replication.config.tree.files import FORMAT_DIALECTS, SEPARATORS, TreeFile, TreeFormat, has_levels
from replication.config.tree.formats.properties_files import read_properties_file
from replication.config.tree.formats.separated_configs import read_separated
from replication.config.tree.properties import PropertyTree, TreeProperty


def read_tree(text: str, *, format: TreeFormat, name: str) -> TreeFile:
    """Return the tree of a file with all findings; a part that cannot be read is an error and stops no other.

    `name` is the file's name for origins. Values keep their `${provider:...}` expressions.
    """
    findings = Findings()
    dialect: str = FORMAT_DIALECTS[format]
    if format == "operator":
        dialect, properties = _resources(text, name, findings, dialect)
    elif format in SEPARATORS:
        properties = read_separated(text, separator=SEPARATORS[format], name=name, findings=findings)
    else:
        properties = read_properties_file(text, name=name, has_levels=has_levels(dialect), findings=findings)
    return TreeFile(tree=PropertyTree(dialect=dialect, properties=properties), findings=findings.all())


def _resources(text: str, name: str, findings: Findings, dialect: str) -> tuple[str, tuple[TreeProperty, ...]]:
    """Return the dialect of the resources and their properties.

    The YAML reader comes with the service; a driver alone never needs it.
    """
    try:
        from replication.config.tree.operator.connectors import documents, parse_connectors
        from replication.config.tree.operator.reader import read_flows
    except ImportError as error:
        findings.error("dialect", f"the operator dialect needs the package {error.name}; install it")
        return dialect, ()
    try:
        return dialect, read_flows(parse_connectors(*documents(text), findings), name=name, findings=findings)
    except ConfigError as error:
        findings.extend(error.findings)
        return dialect, ()
