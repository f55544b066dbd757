"""Parts of a resource as lines of YAML, with the comments above them."""

import json
from collections.abc import Iterator, Mapping

from replication.config.tree.operator.connector_config import Line
from replication.config.tree.operator.yaml_text import comment_lines, scalar
from replication.config.tree.properties import TreeProperty


def config_lines(line: Line, indent: str) -> Iterator[str]:
    """Yield a key of a config; its value is a scalar."""
    yield from comment_lines(line.comment, indent)
    yield f"{indent}{scalar(line.key)}: {scalar(line.value)}"


def part_lines(name: str, prop: TreeProperty, indent: str) -> Iterator[str]:
    """Yield a part of a resource; a structure is kept as JSON, which is YAML too."""
    yield from comment_lines(prop.comment, indent)
    yield f"{indent}{scalar(name)}: {prop.value if _is_structure(prop.value) else scalar(prop.value)}"


def given_or(default: str, name: str, prop: TreeProperty | None, indent: str) -> Iterator[str]:
    """Yield a part that every resource has."""
    yield from comment_lines("" if prop is None else prop.comment, indent)
    yield f"{indent}{name}: {scalar(default if prop is None else prop.value)}"


def metadata_lines(parts: Mapping[str, TreeProperty]) -> Iterator[str]:
    """Yield `metadata` with the parts whose names begin with it."""
    yield "metadata:"
    groups: dict[str, list[str]] = {}
    for part, prop in parts.items():
        if not part.startswith("metadata."):
            continue
        group, _, key = part.removeprefix("metadata.").partition(".")
        lines = groups.setdefault(group, [f"  {scalar(group)}:"] if key else [])
        lines += part_lines(key or group, prop, "    " if key else "  ")
    for lines in groups.values():
        yield from lines


def _is_structure(text: str) -> bool:
    if not text.startswith(("{", "[")):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False
