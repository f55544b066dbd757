"""YAML with the comments that a parser drops, and scalars as YAML writes them."""

import json
import re

import yaml

from replication.config.files.java_properties import joined_comment

_PLAIN = re.compile(r"[A-Za-z0-9./_][A-Za-z0-9./_$+*()\-]*")
_NUMBER_OR_BOOLEAN = re.compile(r"0|-?[1-9][0-9]*|true|false")
_BESIDE = re.compile(r"[ \t]+#[ \t]?(.*)")


class Comments:
    """The comments of a text. Each is given to the first key that asks for the lines above it."""

    def __init__(self, text: str) -> None:
        """Raises yaml.YAMLError."""
        self._lines = text.split("\n")
        inside: set[int] = set()
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            if isinstance(token, yaml.ScalarToken):
                inside |= set(range(token.start_mark.line, token.end_mark.line + (token.end_mark.column > 0)))
        self._free = [
            at for at, line in enumerate(self._lines) if line.lstrip(" \t").startswith("#") and at not in inside
        ]

    def of(self, line: int, value: yaml.Node) -> str:
        """Return the comment above a line that has not been taken yet, and the one beside the value."""
        above = [at for at in self._free if at < line]
        self._free = [at for at in self._free if at >= line]
        lines = [self._lines[at].strip(" \t\r") for at in above]
        return "\n".join(filter(None, (joined_comment(lines), self._beside(value))))

    def rest(self, line: int) -> str:
        """Return the comments above a line that no key took."""
        above = [at for at in self._free if at < line]
        self._free = [at for at in self._free if at >= line]
        return joined_comment([self._lines[at].strip(" \t\r") for at in above])

    def _beside(self, value: yaml.Node) -> str:
        end = value.end_mark
        match = (
            _BESIDE.fullmatch(self._lines[end.line][end.column :].rstrip("\r")) if end.line < len(self._lines) else None
        )
        return "" if match is None or not isinstance(value, yaml.ScalarNode) else match[1].rstrip()


def scalar(text: str) -> str:
    """Return a text as a YAML scalar: numbers and booleans are plain, text is quoted where it must be."""
    if _NUMBER_OR_BOOLEAN.fullmatch(text):
        return text
    is_plain = _PLAIN.fullmatch(text) and _tag(text)
    if is_plain == "tag:yaml.org,2002:str":
        return text
    quoted: str = yaml.safe_dump(text, default_style='"', width=2**30, allow_unicode=True)
    return quoted.rstrip("\n")


def _tag(text: str) -> str:
    """Return the type that a plain scalar with this text has."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    return str(node.tag) if isinstance(node, yaml.ScalarNode) and node.value == text else ""


def comment_lines(comment: str, indent: str) -> list[str]:
    """Return a comment as lines of a file."""
    return [f"{indent}# {line}".rstrip() for line in comment.split("\n")] if comment else []


def structure(node: yaml.Node) -> str:
    """Return a mapping or a list as JSON, which is YAML too."""
    return json.dumps(_plain(node))


def _plain(node: yaml.Node) -> object:
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(value) for value in node.value]
    value = yaml.SafeLoader("").construct_object(node)
    return value if value is None or isinstance(value, bool | int | float | str) else str(node.value)
