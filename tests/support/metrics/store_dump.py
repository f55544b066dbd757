"""All that counting has written to a store, without the numbers that a store gives itself."""

from collections.abc import Sequence
from typing import Any

from metrics.schemas import TABLES
from metrics.store.address import connect

Rows = Sequence[tuple[Any, ...]]

_NOT_COUNTED = ("writer", "series", "job_request", "audit_run", "audit_finding", "audit_proven")
_OWN_IDS = ("event", "gap", "ingest_gap")
_RATE_DIGITS = 6  # rates of flows are sums of fractions, in no order


def dumped(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Rows by table, with the names of their series."""
    connection = connect(url)
    with connection.reading() as reading:
        series = {
            row[0]: tuple(row[1:])
            for row in reading.rows(
                "SELECT id, source, target, topic, remote_topic, partition, consumer_group FROM series"
            )
        }
        found = {}
        for table in TABLES:
            if table.name in _NOT_COUNTED:
                continue
            names = ", ".join(f'"{name}"' for name in table.column_names)
            rows = reading.rows(f"SELECT {names} FROM {table.name}")
            if table.name in _OWN_IDS:
                named = [(None, *row[1:]) for row in rows]
            elif table.column_names[0] in ("id", "series_id"):
                named = [(series[row[0]], *row[1:]) for row in rows]
            else:
                named = [tuple(row) for row in rows]
            found[table.name] = sorted((_rounded(row) for row in named), key=repr)
    connection.close()
    return found


def first_difference(found: Rows, expected: Rows) -> str | None:
    """The first row that only one of two sorted lists has; None when they are equal.

    A difference of two lists of some hundred thousand rows, as pytest shows it, takes hours.
    """
    if len(found) != len(expected):
        only_found, only_expected = set(map(repr, found)), set(map(repr, expected))
        odd = sorted(only_found ^ only_expected)
        return f"{len(found)} rows instead of {len(expected)}, for example {odd[:1]}"
    pairs = zip(found, expected, strict=True)
    return next((f"{own!r} instead of {other!r}" for own, other in pairs if own != other), None)


def _rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(round(value, _RATE_DIGITS) if isinstance(value, float) else value for value in row)
