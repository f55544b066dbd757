"""The few expressions of a merge that SQLite and PostgreSQL write differently."""

from collections.abc import Sequence
from typing import Protocol

from metrics.counting.sums.tile_histogram import MOST_BIGINT


class MergeDialect(Protocol):
    """Expressions over the rows of a group; arguments are SQL too."""

    def bounded_sum(self, value: str) -> str:
        """The sum, no more than a bigint holds."""

    def last_known(self, value: str, order: Sequence[str]) -> str:
        """The value that is not null of the last row, in the order of these whole numbers, which are at least -1."""

    def listed(self, text: str) -> str:
        """All texts with commas between them: an aggregate, which a FILTER may follow."""

    def added_up(self, numbers: str) -> str:
        """A JSON object of numbers that has each name once, in order and without blanks: `{"-1":3,"0":7}`.

        The argument is the text of an object that may have several entries of one name.
        """

    def some_of(self, table: str, condition: str, limit: int) -> str:
        """The condition that a row is one of so many, at most, that meet another one."""


class SqliteDialect:
    """Needs SQLite 3.30."""

    def bounded_sum(self, value: str) -> str:
        """In two halves: SUM raises an error when it overflows."""
        high, low = f"SUM({value} >> 32)", f"SUM({value} & 4294967295)"
        return f"CASE WHEN {high} + ({low} >> 32) > 2147483647 THEN {MOST_BIGINT} ELSE ({high} << 32) + {low} END"

    def last_known(self, value: str, order: Sequence[str]) -> str:
        """Numbers of equal length compare as texts."""
        shape = "".join("%019d:" for _ in order) + "%d"
        known = f"CASE WHEN {value} IS NOT NULL THEN printf('{shape}', {', '.join(order)}, {value}) END"
        return f"CAST(substr(MAX({known}), {20 * len(order) + 1}) AS INTEGER)"

    def listed(self, text: str) -> str:
        return f"group_concat({text}, ',')"

    def added_up(self, numbers: str) -> str:
        """No function of Python's: it would take the interpreter's lock for each tile, from the threads of a query."""
        sums = f"SELECT key AS name, SUM(value) AS total FROM json_each({numbers}) GROUP BY 1 ORDER BY 1"  # noqa: S608 - our own names
        return f"(SELECT json_group_object(name, total) FROM ({sums}) AS sums)"  # noqa: S608 - our own names

    def some_of(self, table: str, condition: str, limit: int) -> str:
        return f"rowid IN (SELECT rowid FROM {table} WHERE {condition} LIMIT {limit})"  # noqa: S608 - our own names


class PostgresDialect:
    """Of JSON only the type `json` is used: `jsonb` keeps one entry of a name."""

    def bounded_sum(self, value: str) -> str:
        return f"CAST(LEAST(SUM({value}), {MOST_BIGINT}) AS bigint)"

    def last_known(self, value: str, order: Sequence[str]) -> str:
        """Arrays compare element by element; nothing has to be sorted."""
        return f"(MAX(ARRAY[{', '.join(order)}, {value}]) FILTER (WHERE {value} IS NOT NULL))[{len(order) + 1}]"

    def listed(self, text: str) -> str:
        return f"string_agg({text}, ',')"

    def added_up(self, numbers: str) -> str:
        """Names are compared by their bytes: databases differ in their collation."""
        sums = (
            'SELECT key COLLATE "C" AS name, SUM(CAST(value AS bigint)) AS total '  # noqa: S608 - our own names
            f"FROM json_each_text(CAST({numbers} AS json)) GROUP BY 1 ORDER BY 1"
        )
        entries = "string_agg('\"' || name || '\":' || total, ',')"
        return f"(SELECT '{{' || {entries} || '}}' FROM ({sums}) AS sums)"  # noqa: S608 - our own names

    def some_of(self, table: str, condition: str, limit: int) -> str:
        """An array, so that rows are read by their places and the table is not searched."""
        return f"ctid = ANY (ARRAY(SELECT ctid FROM {table} WHERE {condition} LIMIT {limit}))"  # noqa: S608 - our own names


SQLITE, POSTGRES = SqliteDialect(), PostgresDialect()
