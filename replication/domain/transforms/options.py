"""Reads the options of a transform; any mistake is a ValueError with the option's name."""

from collections.abc import Mapping

from replication.domain.errors import InvalidPatternError
from replication.domain.names.filters import split_list
from replication.domain.patterns.linear_pattern import LinearPattern, compile_java_search


class Options:
    """Reads options one after the other; `done` raises for options that were not read."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._left = dict(options)
        self._known: list[str] = []

    def text(self, name: str, default: str | None = None) -> str:
        """Raises ValueError when it is missing and has no default."""
        self._known.append(name)
        found = self._left.pop(name, default)
        if found is None:
            raise ValueError(f"{name} is missing")
        return found

    def names(self, name: str) -> tuple[str, ...]:
        """A list with at least one entry."""
        found = split_list(self.text(name))
        if not found:
            raise ValueError(f"{name} is empty")
        return found

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of the choices, the first by default."""
        found = self.text(name, choices[0])
        if found not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, not {found!r}")
        return found

    def pattern(self, name: str) -> LinearPattern:
        """A regular expression in Java's syntax, to be searched in texts."""
        try:
            return compile_java_search(self.text(name))
        except InvalidPatternError as error:
            raise ValueError(f"{name}: {error.text}") from error

    def done(self) -> None:
        """Raises ValueError for an option that is not known."""
        if self._left:
            raise ValueError(f"{min(self._left)} is no option of it; known are {', '.join(self._known)}")
