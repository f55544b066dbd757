"""Parses the part of PromQL that rules and dashboards of this project use; `promtool` is not needed.

Anything that it does not know is an error, so that a mistake is never taken for a metric.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

RANGE_FUNCTIONS = frozenset({"rate", "increase", "deriv", "delta", "max_over_time", "avg_over_time"})
VECTOR_FUNCTIONS = frozenset({"absent", "abs", "sum", "min", "max", "avg", "count", "topk"})
AGGREGATIONS = frozenset({"sum", "min", "max", "avg", "count", "topk"})
OPERATORS = frozenset({"+", "-", "*", "/", "==", "!=", ">", "<", ">=", "<=", "and", "or", "unless"})
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*")|(?P<duration>\d+[smhdw](?![a-zA-Z_]))|(?P<number>\d+(?:\.\d+)?)"""
    r"""|(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)|(?P<mark>=~|!~|==|!=|>=|<=|[-+*/<>=(){}\[\],]))"""
)


class ExpressionError(ValueError):
    """The expression is not valid, or uses what this parser does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """The series of one metric that an expression reads: label, operator and value of each matcher."""

    metric: str
    matchers: tuple[tuple[str, str, str], ...] = ()


@dataclass(slots=True)
class Expression:
    """The selectors of an expression, and the labels that it groups by."""

    selectors: list[Selector] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)


def parsed(text: str) -> Expression:
    """Return what an expression uses. Raises ExpressionError."""
    parser = _Parser(text)
    parser.expression()
    if parser.kind:
        raise ExpressionError(f"{parser.value!r} is left over in {text!r}")
    return parser.found


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place, end = 0, len(text.rstrip())
    while place < end:
        token = _TOKEN.match(text, place)
        if token is None:
            raise ExpressionError(f"{text[place:]!r} is not PromQL")
        place = token.end()
        yield token.lastgroup or "", token[token.lastgroup or 0]
    yield "", ""


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._text = text
        self.found = Expression()
        self.kind, self.value = next(self._tokens)

    def expression(self) -> None:
        self._operand()
        while self.value in OPERATORS and self.kind in ("mark", "name"):
            self._take()
            self._operand()

    def _operand(self) -> None:
        if self.kind == "number":
            self._take()
        elif self._skip("("):
            self.expression()
            self._expect(")")
        elif self.kind == "name":
            self._named(self._take())
        else:
            raise ExpressionError(f"an operand is missing at {self.value!r} in {self._text!r}")

    def _named(self, name: str) -> None:
        if name in RANGE_FUNCTIONS:
            self._expect("(")
            self._selector(self._take())
            self._expect("[")
            self._expect_kind("duration")
            self._expect("]")
            self._expect(")")
        elif name in VECTOR_FUNCTIONS and self.value in ("(", "by", "without"):
            self._call(name)
        else:
            self._selector(name)

    def _call(self, name: str) -> None:
        if self.value in ("by", "without"):
            if name not in AGGREGATIONS:
                raise ExpressionError(f"{name} does not aggregate in {self._text!r}")
            self._take()
            self._expect("(")
            self._grouping()
        self._expect("(")
        self.expression()
        if name == "topk":
            self._expect(",")
            self.expression()
        self._expect(")")

    def _grouping(self) -> None:
        while not self._skip(")"):
            self.found.labels.add(self._expect_kind("name"))
            if self.value != ")":
                self._expect(",")

    def _selector(self, metric: str) -> None:
        matchers: list[tuple[str, str, str]] = []
        if self._skip("{"):
            while not self._skip("}"):
                label, operator = self._expect_kind("name"), self._take()
                if operator not in ("=", "!=", "=~", "!~"):
                    raise ExpressionError(f"{operator!r} compares no label in {self._text!r}")
                matchers.append((label, operator, self._expect_kind("string")[1:-1]))
                if self.value != "}":
                    self._expect(",")
        self.found.selectors.append(Selector(metric=metric, matchers=tuple(matchers)))

    def _take(self) -> str:
        value = self.value
        self.kind, self.value = next(self._tokens)
        return value

    def _skip(self, mark: str) -> bool:
        if self.kind == "mark" and self.value == mark:
            self._take()
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._skip(mark):
            raise ExpressionError(f"{mark!r} is missing at {self.value!r} in {self._text!r}")

    def _expect_kind(self, kind: str) -> str:
        if self.kind != kind:
            raise ExpressionError(f"a {kind} is missing at {self.value!r} in {self._text!r}")
        return self._take()
