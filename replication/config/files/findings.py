"""Collects the findings about a file, so that all errors are reported together."""

import difflib
from collections.abc import Iterable

from replication.config.flows.model import ConfigError, ConfigFinding, Property
from replication.config.settings.prefixes import known_names
from replication.domain.plan.preflight import FindingSeverity


class Findings:
    """Filled by every stage of the reading; `check` ends the reading when there are errors."""

    def __init__(self) -> None:
        self._all: list[ConfigFinding] = []

    def add(self, severity: FindingSeverity, prop: Property | str, message: str) -> None:
        key, line = (prop, None) if isinstance(prop, str) else (prop.key, prop.line)
        self._all.append(ConfigFinding(severity=severity, key=key, line=line, message=message))

    def error(self, prop: Property | str, message: str) -> None:
        self.add("error", prop, message)

    def warning(self, prop: Property | str, message: str) -> None:
        self.add("warning", prop, message)

    def note(self, prop: Property | str, message: str) -> None:
        self.add("note", prop, message)

    def extend(self, findings: Iterable[ConfigFinding]) -> None:
        """Add the findings of an earlier stage."""
        self._all.extend(findings)

    def all(self) -> tuple[ConfigFinding, ...]:
        """All findings in the order of the file, each once."""
        return tuple(sorted(dict.fromkeys(self._all), key=lambda finding: (finding.line or 0, finding.key)))

    def check(self) -> tuple[ConfigFinding, ...]:
        """All findings in the order of the file, each once. Raises ConfigError when there are errors."""
        ordered = self.all()
        errors = tuple(finding for finding in ordered if finding.severity == "error")
        if errors:
            raise ConfigError(errors)
        return ordered


def nearest_key(name: str) -> str:
    """Return `; did you mean ...?` with the nearest known key, or nothing."""
    return nearest(name, known_names())


def nearest(name: str, known: tuple[str, ...]) -> str:
    """Return `; did you mean ...?` with the nearest of these names, or nothing."""
    similar = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    return f"; did you mean {similar[0]}?" if similar else ""
