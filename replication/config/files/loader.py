"""Reads a configuration file into a `ReplicationConfig`."""

from dataclasses import replace
from pathlib import Path

from replication.config.files.dialects import DIALECTS, Dialect, likely_dialect
from replication.config.files.providers import resolve
from replication.config.flows.model import ConfigError, ConfigFinding, ReplicationConfig
from replication.config.tree import read_tree, resolve_tree
from replication.domain.settings.choices import FILE_DIALECT


def load(path: Path, dialect: str = FILE_DIALECT) -> ReplicationConfig:
    """Read a whole file. Raises ConfigError with every error found."""
    chosen = DIALECTS.get(dialect)
    if chosen is None:
        raise _unusable("dialect", f"{dialect!r} is not one of {', '.join(DIALECTS)}")
    text = _text(path)
    doubt = _doubt(text, chosen)
    file = read_tree(text, format=chosen.name, name=path.name)
    try:
        config = resolve_tree(file.tree, expand=resolve, earlier=file.findings)
    except ConfigError as error:
        raise ConfigError((*error.findings, *(replace(each, severity="error") for each in doubt))) from error
    return replace(config, findings=(*doubt, *config.findings))


def _doubt(text: str, dialect: Dialect) -> tuple[ConfigFinding, ...]:
    """Return a warning where the text looks like another dialect."""
    likely = likely_dialect(text)
    if likely is None or likely is dialect:
        return ()
    message = f"the file is read as {dialect.name}, but looks like {likely.name}; use --dialect {likely.name}"
    return (ConfigFinding(severity="warning", key="dialect", line=None, message=message),)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise _unusable(str(path), f"cannot be read: {error.strerror}; check the path and its permissions") from error
    except UnicodeDecodeError as error:
        raise _unusable(str(path), "is not UTF-8 text; is it a configuration file?") from error


def _unusable(key: str, message: str, line: int | None = None) -> ConfigError:
    return ConfigError((ConfigFinding(severity="error", key=key, line=line, message=message),))
