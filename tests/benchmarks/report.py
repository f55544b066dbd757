"""Benchmark results as a table, as docs/benchmarks.md and as JSON for programs."""

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"
COLUMNS = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One figure: ours beside theirs. `passed` is None where no budget is set, theirs where there is no other side."""

    name: str
    unit: str
    ours: float
    theirs: float | None = None
    ratio: float | None = None
    budget: str = ""
    passed: bool | None = None

    @classmethod
    def at_least(cls, name: str, unit: str, ours: float, theirs: float, times: float | None) -> "Result":
        if times is None:
            return cls.told(name, unit, ours, theirs)
        ratio = ours / theirs
        return cls(
            name=name, unit=unit, ours=ours, theirs=theirs, ratio=ratio, budget=f">= {times:g}", passed=ratio >= times
        )

    @classmethod
    def at_most(cls, name: str, unit: str, ours: float, theirs: float, share: float) -> "Result":
        ratio = ours / theirs
        return cls(
            name=name, unit=unit, ours=ours, theirs=theirs, ratio=ratio, budget=f"<= {share:.3f}", passed=ratio <= share
        )

    @classmethod
    def told(cls, name: str, unit: str, ours: float, theirs: float) -> "Result":
        return cls(name=name, unit=unit, ours=ours, theirs=theirs, ratio=ours / theirs if theirs else None)

    @classmethod
    def limited(cls, name: str, unit: str, ours: float, most: float) -> "Result":
        return cls(name=name, unit=unit, ours=ours, budget=f"<= {most:g}", passed=ours <= most)

    @classmethod
    def reached(cls, name: str, unit: str, ours: float, least: float) -> "Result":
        return cls(name=name, unit=unit, ours=ours, budget=f">= {least:,.0f}", passed=ours >= least)

    @classmethod
    def alone(cls, name: str, unit: str, ours: float) -> "Result":
        return cls(name=name, unit=unit, ours=ours)


def write_report(
    results: Sequence[Result],
    path: Path,
    said: Sequence[str],
    *,
    page: Path = PAGE,
    title: str = "Benchmarks",
    sides: tuple[str, str] = ("SRM", "MM2"),
) -> None:
    """Print the table, write the JSON file and the page; rows of the page that were not measured again stay.

    `said` holds the page's paragraphs, `sides` the names of what is compared. Sections of the page stay.
    """
    print("\n".join(_table([_row(result) for result in results], sides)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([_document(result) for result in results], indent=1) + "\n")
    rows = _rows_of(page) | {result.name: _row(result) for result in results}
    table = _table([rows[name] for name in sorted(rows, key=_place)], sides)
    text = "\n\n".join([f"# {title}", *map(_wrapped, said), "\n".join(table)]) + "\n"
    page.write_text(text + _parts(page)[1])


def _parts(page: Path) -> tuple[str, str]:
    """The page up to its first section, and its sections, which other commands write."""
    text = page.read_text() if page.exists() else ""
    begins = text.find("\n## ")
    return (text, "") if begins == -1 else (text[:begins], text[begins:])


def _wrapped(paragraph: str) -> str:
    return textwrap.fill(paragraph, COLUMNS, break_long_words=False, break_on_hyphens=False)


def _place(name: str) -> tuple[int, str]:
    """Throughput cells first, in the order in which they are measured, then the others by name."""
    return (0, "") if " a batch: " in name else (1, name)


def _document(result: Result) -> dict[str, Any]:
    document = asdict(result)
    document["pass"] = document.pop("passed")
    return document


def _rows_of(page: Path) -> dict[str, str]:
    """Return the rows of the page's table by the name of the measurement, without the two of its head."""
    lines = _parts(page)[0].splitlines()
    rows = [line for line in lines if line.startswith("| ")][1:]
    return {row.split(" | ")[0].removeprefix("| "): row for row in rows}


def _table(rows: Sequence[str], sides: tuple[str, str]) -> list[str]:
    return [f"| Measurement | Unit | {sides[0]} | {sides[1]} | Ratio | Budget | Result |", f"|{'---|' * 7}", *rows]


def _row(result: Result) -> str:
    outcome = {True: "pass", False: "FAIL", None: ""}[result.passed]
    theirs = "" if result.theirs is None else _figure(result.theirs)
    ratio = "" if result.ratio is None else f"{result.ratio:.3f}"
    figures = f"{_figure(result.ours)} | {theirs} | {ratio}"
    return f"| {result.name} | {result.unit} | {figures} | {result.budget} | {outcome} |"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:,.2f}"
