"""Values kept elsewhere: `${file:<path>:<key>}`, `${env:<name>}`, `${dir:<folder>:<file>}`.

The names follow Kafka's FileConfigProvider, EnvVarConfigProvider and DirectoryConfigProvider; they work without being
declared under `config.providers`.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from replication.config.files.java_properties import PropertiesSyntaxError, parse_properties

_EXPRESSION = re.compile(r"\$\{([^}:]+):(?:([^}]*):)?([^}]*)\}")


class ProviderError(ValueError):
    """An expression that leads nowhere; the text says which part is missing and never holds a value."""


def resolve(value: str, environment: Mapping[str, str] | None = None) -> str:
    """Replace every expression in `value`; text that is none stays. Raises ProviderError."""
    variables = os.environ if environment is None else environment

    def replacement(match: re.Match[str]) -> str:
        provider, path, key = match[1], match[2] or "", match[3]
        if provider == "file":
            return _from_file(path, key)
        if provider == "env":
            return _from_environment(variables, key)
        if provider == "dir":
            return _from_folder(path, key)
        raise ProviderError(f"there is no provider {provider!r} in {match[0]}; use file, env or dir")

    return _EXPRESSION.sub(replacement, value)


def _from_file(path: str, key: str) -> str:
    text = _read(Path(path))
    try:
        values = {found.key: found.value for found in parse_properties(text)}
    except PropertiesSyntaxError as error:
        raise ProviderError(f"{path} is not a properties file: {error}") from error
    if key not in values:
        raise ProviderError(f"{path} has no key {key!r}")
    return values[key]


def _from_environment(variables: Mapping[str, str], name: str) -> str:
    if name not in variables:
        raise ProviderError(f"the environment variable {name} is not set")
    return variables[name]


def _from_folder(folder: str, name: str) -> str:
    if "/" in name or name in ("", ".", ".."):
        raise ProviderError(f"{name!r} is not the name of a file in {folder}")
    return _read(Path(folder) / name)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ProviderError(f"{path} cannot be read: {reason}") from error
