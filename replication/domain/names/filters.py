"""Allow and deny lists, as MirrorMaker's DefaultTopicFilter and DefaultGroupFilter read them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from replication.domain.names.java_regex import compile_java


@dataclass(frozen=True, slots=True)
class NameFilter:
    """Accepts a name that some allow pattern matches as a whole and no deny pattern does. No patterns match nothing."""

    allow: tuple[re.Pattern[str], ...]
    deny: tuple[re.Pattern[str], ...]

    @classmethod
    def of(cls, allow: Iterable[str], deny: Iterable[str] = ()) -> "NameFilter":
        """Raises InvalidPatternError for the first pattern that is no Java regular expression we support."""
        return cls(tuple(map(compile_java, allow)), tuple(map(compile_java, deny)))

    def accepts(self, name: str) -> bool:
        if any(pattern.fullmatch(name) for pattern in self.deny):
            return False
        return any(pattern.fullmatch(name) for pattern in self.allow)


def split_list(text: str) -> tuple[str, ...]:
    """A Kafka LIST value: commas separate, blanks around entries do not count, empty entries do not exist."""
    return tuple(entry for part in text.split(",") if (entry := part.strip()))
