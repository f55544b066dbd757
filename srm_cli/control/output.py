"""Shows answers as a table, JSON, YAML or CSV."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import IO, Any, Literal, get_args

import click

_WIDEST_CELL = 60  # the last one of a line may be longer
_WHOLE_FROM = 100
_FIRST_TIME_MS = 1_000_000_000_000  # in 2001
Output = Literal["table", "json", "yaml", "csv"]


def output_option(
    default: str = "table", *, help_text: str = "Format of the output."
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `-o`; a default that is no format of every command is one of this command."""
    words = tuple(dict.fromkeys((default, *get_args(Output))))
    return click.option("-o", "--output", type=click.Choice(words), default=default, show_default=True, help=help_text)


OUTPUT = output_option()
Row = Mapping[str, Any]
Column = tuple[str, Callable[[Row], Any]]


def columns(*texts: str) -> tuple[Column, ...]:
    """Return columns from texts `HEADING=field` or `HEADING=field.inner`."""
    return tuple(_column(*text.split("=", 1)) for text in texts)


def show_rows(rows: Sequence[Row], chosen: Sequence[Column], output: str) -> None:
    """Print a list. JSON and YAML hold whole rows, tables and CSV the columns."""
    if output in ("json", "yaml"):
        show_document(list(rows), output)
        return
    headings = [heading for heading, _ in chosen]
    cells = [[_text(value(row), is_exact=output == "csv") for _, value in chosen] for row in rows]
    if output == "csv":
        click.echo(_csv([[heading.lower() for heading in headings], *cells]) if headings else "", nl=False)
        return
    short = [[*(_cut(cell) for cell in line[:-1]), *line[-1:]] for line in cells]
    for line in _aligned([headings, *short]) if headings else ():
        click.echo(line)


def show_object(found: Row, output: str) -> None:
    """Print one object, in tables and CSV with one field per line; those of fields below it have dotted names."""
    if output in ("json", "yaml"):
        show_document(found, output)
        return
    if output == "csv":
        click.echo(
            _csv([["field", "value"], *([name, _text(value, is_exact=True)] for name, value in found.items())]),
            nl=False,
        )
        return
    for line in _aligned([_field(name, value) for name, value in _flat(found)]):
        click.echo(line)


def _flat(found: Row) -> Iterator[tuple[str, Any]]:
    for name, value in found.items():
        inner = dict(enumerate(value, 1)) if _is_rows(value) else value
        if isinstance(inner, dict) and inner:
            yield from ((f"{name}.{below}", each) for below, each in _flat(inner))
        else:
            yield name, value


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _field(name: str, value: Any) -> tuple[str, str]:
    """Return name and text of a field; a time in epoch ms is larger than any duration."""
    if name.endswith("_ms") and isinstance(value, int) and value > _FIRST_TIME_MS:
        return name.removesuffix("_ms"), shown_time(value)
    return name, "-" if value in ({}, []) else _text(value)


def _cut(cell: str) -> str:
    """Return a cell that leaves room for the others; JSON, YAML and CSV have all of it."""
    return cell if len(cell) <= _WIDEST_CELL else f"{cell[: _WIDEST_CELL - 3]}..."


def show_document(found: Any, output: str, *, file: IO[str] | None = None) -> None:
    """Print a value as YAML, or else as JSON; into a file if one is given."""
    if output == "yaml":
        import yaml

        click.echo(yaml.safe_dump(found, sort_keys=False, allow_unicode=True), nl=False, file=file)
    else:
        click.echo(json.dumps(found, indent=1, ensure_ascii=False), file=file)


def show_answer(found: Any, output: str) -> None:
    """Print an answer of any shape: a list with `items`, or an object."""
    rows = found.get("items") if isinstance(found, dict) else found
    if not isinstance(rows, list):
        show_object(found or {}, output)
        return
    names = dict.fromkeys(
        name
        for row in rows
        if isinstance(row, dict)
        for name, value in row.items()
        if not isinstance(value, dict | list)
    )
    show_rows(rows, columns(*(f"{name.upper()}={name}" for name in names)), output)


def shown_time(at_ms: int | None) -> str:
    """Return a time in epoch ms for people."""
    return "-" if at_ms is None else datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _column(heading: str, path: str) -> Column:
    def value(row: Row) -> Any:
        found: Any = row
        for name in path.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
        return found

    return heading, value


def number_text(value: float) -> str:
    """Return a number for people: three significant figures, and no fraction from 100 on."""
    return f"{value:,.0f}" if abs(value) >= _WHOLE_FROM else f"{value:.3g}"


def _text(value: Any, *, is_exact: bool = False) -> str:
    if value is None:
        return "-"
    if isinstance(value, float) and not is_exact:
        return number_text(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ",".join(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _csv(lines: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _aligned(lines: Sequence[Sequence[str]]) -> Iterable[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        yield "  ".join(padded).rstrip()
