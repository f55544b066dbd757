"""Parts of YAML documents."""

import yaml

from replication.config.tree.operator.yaml_text import structure


def pairs(node: yaml.Node | None) -> list[tuple[yaml.Node, yaml.Node]]:
    """Return the keys and values of a mapping; none for other nodes."""
    return list(node.value) if isinstance(node, yaml.MappingNode) else []


def members(node: yaml.Node | None) -> dict[str, yaml.Node]:
    """Return the values of a mapping by key."""
    return {scalar_of(key): value for key, value in pairs(node)}


def scalar_of(node: yaml.Node | None) -> str:
    """Return the text of a scalar; empty for other nodes."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def text_of(node: yaml.Node) -> str:
    """Return a scalar as it is written, and a structure as JSON."""
    return scalar_of(node) if isinstance(node, yaml.ScalarNode) else structure(node)
