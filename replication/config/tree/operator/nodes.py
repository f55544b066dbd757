"""Parts of YAML documents."""

from collections.abc import Iterator

import yaml

from replication.config.tree.operator.yaml_text import structure

_GROUPS = ("labels", "annotations")


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


def items(node: yaml.Node | None) -> list[yaml.Node]:
    """Return the members of a list; none for other nodes."""
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def metadata_parts(metadata: yaml.Node | None) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    """Yield the parts of a resource's metadata with key and value; labels and annotations are parts each."""
    for key, value in pairs(metadata):
        name = f"metadata.{scalar_of(key)}"
        if scalar_of(key) in _GROUPS and isinstance(value, yaml.MappingNode):
            yield from ((f"{name}.{scalar_of(each)}", each, found) for each, found in pairs(value))
        else:
            yield name, key, value
