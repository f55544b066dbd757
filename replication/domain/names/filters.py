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
        return any(pattern.matches(name) for pattern in self.allow)


def split_list(text: str) -> tuple[str, ...]:
    """A Kafka LIST value: commas separate, blanks around entries do not count, empty entries do not exist."""
    return tuple(entry for part in text.split(",") if (entry := part.strip()))
