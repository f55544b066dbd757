"""Allow and deny lists, as MirrorMaker's DefaultTopicFilter and DefaultGroupFilter read them."""

from collections.abc import Iterable
from dataclasses import dataclass

from replication.domain.patterns.linear_pattern import LinearPattern, compile_java


@dataclass(frozen=True, slots=True)
class NameFilter:
    """Accepts a name that some allow pattern matches as a whole and no deny pattern does. No patterns match nothing."""

    allow: tuple[LinearPattern, ...]
    deny: tuple[LinearPattern, ...]

    @classmethod
    def of(cls, allow: Iterable[str], deny: Iterable[str] = ()) -> "NameFilter":
        """Raises InvalidPatternError for the first pattern that is no Java regular expression we support."""
        return cls(tuple(map(compile_java, allow)), tuple(map(compile_java, deny)))

    def accepts(self, name: str) -> bool:
        if any(pattern.matches(name) for pattern in self.deny):
            return False
        return self.allows(name)

    def allows(self, name: str) -> bool:
        """Return True if an allow pattern matches the name, also where a deny pattern does."""
        return any(pattern.matches(name) for pattern in self.allow)

    def denial(self, name: str) -> str | None:
        """Return the deny pattern that matches the name, in words; None without one."""
        pattern = next((each for each in self.deny if each.matches(name)), None)
        return None if pattern is None else f"the deny pattern {pattern.pattern} matches it"

    def unmatched(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the allow patterns that match none of the names."""
        seen = tuple(names)
        return tuple(each.pattern for each in self.allow if not any(map(each.matches, seen)))


def split_list(text: str) -> tuple[str, ...]:
    """A Kafka LIST value: commas separate, blanks around entries do not count, empty entries do not exist."""
    return tuple(entry for part in text.split(",") if (entry := part.strip()))
