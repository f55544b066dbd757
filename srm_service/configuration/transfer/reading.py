"""Reads configuration files of any format into trees, with the findings about the file."""

from dataclasses import replace
from pathlib import Path

from replication.config import ConfigError, ConfigFinding
from replication.config.files.dialects import likely_dialect
from replication.config.tree import TreeFormat, read_tree
from replication.config.tree.files import FORMAT_DIALECTS, TREE_FORMATS, TreeFile
from replication.config.tree.properties import PropertyPlace
from replication.domain.settings.registry.flow import CLUSTERS

_CLUSTERS = PropertyPlace(level="global", name=CLUSTERS.key)


def read_file(path: Path, format_name: str) -> TreeFile:
    """Return the tree of a file. Raises ConfigError if there is no text, or no such format."""
    chosen = next((known for known in TREE_FORMATS if known == format_name), None)
    if chosen is None:
        raise _unusable("dialect", f"{format_name!r} is not one of {', '.join(TREE_FORMATS)}")
    try:
        return read_text(path.read_text(encoding="utf-8"), format=chosen, name=path.name)
    except OSError as error:
        raise _unusable(str(path), f"cannot be read: {error.strerror}; check the path and its permissions") from error
    except UnicodeDecodeError as error:
        raise _unusable(str(path), "is not UTF-8 text; is it a configuration file?") from error


def read_text(text: str, *, format: TreeFormat, name: str) -> TreeFile:
    """Return the tree of a text; a text that looks like another dialect, or has no clusters, has a finding."""
    found = read_tree(text, format=format, name=name)
    findings = (*_doubt(text, format), *found.findings)
    if found.tree.at(_CLUSTERS) is None:
        message = "is missing; list the aliases, for example clusters = east, west"
        findings = (*findings, ConfigFinding(severity="error", key=CLUSTERS.key, line=None, message=message))
    return replace(found, findings=findings)


def _doubt(text: str, format: TreeFormat) -> tuple[ConfigFinding, ...]:
    dialect, likely = FORMAT_DIALECTS[format], likely_dialect(text)
    if likely is None or likely.name == dialect:
        return ()
    message = f"the file is read as {dialect}, but looks like {likely.name}; use the dialect {likely.name}"
    return (ConfigFinding(severity="warning", key="dialect", line=None, message=message),)


def _unusable(key: str, message: str) -> ConfigError:
    return ConfigError((ConfigFinding(severity="error", key=key, line=None, message=message),))
