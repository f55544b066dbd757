"""The names that allow patterns miss by little, and how."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from replication.domain.errors import InvalidPatternError
from replication.domain.patterns.linear_pattern import LinearPattern, compile_java, compile_java_search

MissKind = Literal["case", "prefix", "part"]
_SEPARATORS = re.compile(r"[._-]")
_REASONS: dict[MissKind, str] = {
    "case": "it differs in upper and lower case",
    "prefix": "the pattern matches only what follows {prefix}",
    "part": "the pattern matches only a part of the name; patterns match whole names",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """The name of a topic or group that an allow pattern misses by little."""

    name: str
    pattern: str
    kind: MissKind
    reason: str


def near_misses(allow: Sequence[LinearPattern], names: Iterable[str]) -> tuple[NearMiss, ...]:
    """Return the names that a pattern misses by little, each with the first pattern that does."""
    searches = [search for pattern in allow if (search := _Search.of(pattern)) is not None]
    found = (next((miss for search in searches if (miss := search.miss(name)) is not None), None) for name in names)
    return tuple(miss for miss in found if miss is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    pattern: LinearPattern
    either_case: LinearPattern
    anywhere: LinearPattern

    @classmethod
    def of(cls, pattern: LinearPattern) -> "_Search | None":
        """None for a pattern that is in every name, and for one that is too large for a search."""
        try:
            anywhere = compile_java_search(f"(?i){pattern.pattern}")
            either_case = compile_java(f"(?i){pattern.pattern}")
        except InvalidPatternError:
            return None
        return None if anywhere.is_in(b"") else cls(pattern=pattern, either_case=either_case, anywhere=anywhere)

    def miss(self, name: str) -> NearMiss | None:
        if not self.anywhere.is_in(name.encode()):
            return None
        kind: MissKind = "part"
        prefix = ""
        if self.either_case.matches(name):
            kind = "case"
        elif (prefix := self._prefix(name)) != "":
            kind = "prefix"
        reason = _REASONS[kind].format(prefix=prefix)
        return NearMiss(name=name, pattern=self.pattern.pattern, kind=kind, reason=reason)

    def _prefix(self, name: str) -> str:
        """Return the shortest prefix behind which the pattern matches; empty without one."""
        ends = (found.end() for found in _SEPARATORS.finditer(name))
        return next((name[:end] for end in ends if self.pattern.matches(name[end:])), "")
