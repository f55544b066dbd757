"""Writes the stored tree as a file of any format; secrets are hidden."""

from dataclasses import replace

from replication.config import ConfigFinding
from replication.config.tree import TreeFormat, WrittenTree, write_tree
from srm_service.configuration.contracts import HIDDEN_VALUE
from srm_service.configuration.selectors import current_tree


def exported(format: TreeFormat) -> WrittenTree:
    """Return the text of the stored tree, with a finding for everything that the text does not hold."""
    tree = current_tree()
    findings = [
        ConfigFinding(
            severity="warning",
            key=each.place.key,
            line=None,
            message=f"is a secret and is not exported; {HIDDEN_VALUE} keeps the stored one",
        )
        for each in tree.properties
        if each.value == HIDDEN_VALUE
    ]
    written = write_tree(tree, format=format)
    return replace(written, findings=(*findings, *written.findings))
