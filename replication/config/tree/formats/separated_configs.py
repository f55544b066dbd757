"""Cloudera Manager's Replication Configs: `key=value` entries between separators, without escapes and comments.

A line break separates entries too. The number of an entry takes the place of a line in origins and findings.
"""

import re
from collections.abc import Iterator, Sequence

from replication.config.files.findings import Findings
from replication.config.files.java_properties import RawProperty
from replication.config.flows.model import Property
from replication.config.tree.formats.properties_files import placed
from replication.config.tree.properties import PropertyTree, TreeProperty
from replication.domain.settings.registry.flow import CLUSTERS

_ADDRESS = re.compile(r"(?P<alias>[^=>]+)\.bootstrap\.servers")
_FLOW = re.compile(r"(?P<source>[^.=>]+(?:\.[^.=>]+)*)->(?P<target>[^.=>]+)\..+")
_CLIENTS = ("consumer", "producer", "admin", "source", "target", "workers", "connectors")


def read_separated(text: str, *, separator: str, name: str, findings: Findings) -> tuple[TreeProperty, ...]:
    """Return the properties; without `clusters` the aliases are those that the keys name."""
    raws = list(_entries(text, separator, findings))
    if raws and not any(raw.key == CLUSTERS.key for raw in raws):
        aliases = ", ".join(_aliases(raws))
        findings.note(CLUSTERS.key, f"is not in the file; the keys name the aliases {aliases or 'of no cluster'}")
        raws.insert(0, RawProperty(key=CLUSTERS.key, value=aliases, line=1))
    return placed(raws, name=name, has_levels=True, findings=findings)


def write_separated(tree: PropertyTree, *, separator: str, findings: Findings) -> str:
    """Return the text; an entry that the separator or a line break would cut is not written."""
    entries: list[str] = []
    for prop in tree.properties:
        key, value = prop.place.key, prop.value.strip()
        problem = _problem(key, value, separator)
        if problem:
            findings.error(_shown(prop), f"is not written: {problem}")
            continue
        if prop.comment:
            findings.warning(_shown(prop), "loses its comment: the format has none")
        if value != prop.value:
            findings.warning(_shown(prop), "loses the blanks around its value")
        entries.append(f"{key}={value}")
    return separator.join(entries)


def _shown(prop: TreeProperty) -> Property:
    return Property(key=prop.place.key, value="", line=prop.line)


def _problem(key: str, value: str, separator: str) -> str:
    for part, text in (("key", key), ("value", value)):
        if separator in text:
            return f"its {part} holds the separator {separator!r}"
        if "\n" in text or "\r" in text:
            return f"its {part} holds a line break"
    if not key or key != key.strip() or "=" in key or key.startswith("#"):
        return "its key is empty, holds '=', begins with '#' or has blanks around it"
    return ""


def _entries(text: str, separator: str, findings: Findings) -> Iterator[RawProperty]:
    for number, entry in enumerate(re.split(f"[{re.escape(separator)}\r\n]", text), start=1):
        key, equals, value = (part.strip() for part in entry.partition("="))
        if entry.strip().startswith("#"):
            shown = Property(key="comment", value="", line=number)
            findings.warning(shown, f"is not kept, the format has no comments: {entry.strip()!r}")
        elif equals and key:
            yield RawProperty(key=key, value=value, line=number)
        elif entry.strip():
            findings.error(Property(key=entry.strip(), value="", line=number), "is not key=value; correct the entry")


def _aliases(raws: Sequence[RawProperty]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for raw in raws:
        address, flow = _ADDRESS.fullmatch(raw.key), _FLOW.fullmatch(raw.key)
        if address is not None and address["alias"].partition(".")[0] not in _CLIENTS and "->" not in address["alias"]:
            found[address["alias"]] = None
        elif flow is not None:
            found |= dict.fromkeys((flow["source"], flow["target"]))
    return tuple(found)
