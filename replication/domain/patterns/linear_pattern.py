"""Compiled patterns. RE2 matches them in time that grows with the text only, regardless of pattern and text."""

from replication.domain.errors import InvalidPatternError
from replication.domain.patterns.java_syntax import JavaTranslation

LARGEST_PROGRAM = 10_000  # instructions of RE2; each byte of a text takes at most so many steps
LARGEST_SEARCHED_PROGRAM = 1_000  # for texts, which are a thousand times longer than names
_MEMORY_BYTES = 8 * 1024 * 1024  # of each pattern's program and states


class LinearPattern:
    """One compiled pattern. Patterns of equal text and use are equal."""

    __slots__ = ("_compiled", "_finds", "pattern")

    def __init__(self, pattern: str, *, finds: bool) -> None:
        """Raises InvalidPatternError that quotes the pattern and names what is not supported."""
        import re2  # not above: Spark's executors import settings, and have no patterns and no RE2

        self.pattern = pattern
        self._finds = finds
        options = re2.Options()
        options.log_errors = False
        options.max_mem = _MEMORY_BYTES
        try:
            self._compiled = re2.compile(JavaTranslation(pattern, finds=finds).run(), options)
        except re2.error as error:
            raise InvalidPatternError(f"pattern {pattern!r} is not a valid regular expression: {error}") from error
        if self._compiled.programsize > (LARGEST_SEARCHED_PROGRAM if finds else LARGEST_PROGRAM):
            remedy = "write '*' or '+' instead of numbers of repeats, or divide it into several patterns"
            raise InvalidPatternError(f"pattern {pattern!r} is too large; {remedy}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinearPattern) and (self.pattern, self._finds) == (other.pattern, other._finds)

    def __hash__(self) -> int:
        return hash((self.pattern, self._finds))

    def __repr__(self) -> str:
        return f"LinearPattern({self.pattern!r}, finds={self._finds})"

    def matches(self, text: str) -> bool:
        """Return True when the pattern matches the whole text."""
        return self._compiled.fullmatch(text.encode(errors="surrogatepass")) is not None

    def is_in(self, text: bytes) -> bool:
        """Return True when the pattern matches a part of the text, which is UTF-8."""
        return self._compiled.search(text) is not None


def compile_java(pattern: str) -> LinearPattern:
    """Compile a pattern for whole names."""
    return LinearPattern(pattern, finds=False)


def compile_java_search(pattern: str) -> LinearPattern:
    """Compile a pattern that is searched in texts."""
    return LinearPattern(pattern, finds=True)
