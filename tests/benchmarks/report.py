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
    """Print the table, write the JSON file and the page; rows of the file, or of the page, not measured again stay.

    `said` holds the page's paragraphs, `sides` the names of what is compared.
    """
    print(_table(results, sides))
    measured = {result.name for result in results}
    kept = [row for row in _read(path) or _rows_of(page) if row.name not in measured]
    everything = sorted([*kept, *results], key=_place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([_document(result) for result in everything], indent=1) + "\n")
    page.write_text(f"# {title}\n\n" + "\n\n".join(map(_wrapped, said)) + f"\n\n{_table(everything, sides)}\n")


def _wrapped(paragraph: str) -> str:
    return textwrap.fill(paragraph, COLUMNS, break_long_words=False, break_on_hyphens=False)


def _place(result: Result) -> tuple[int, str]:
    """Throughput cells first, then what is measured once."""
    return (0 if " a batch: " in result.name else 1, "" if " a batch: " in result.name else result.name)


def _document(result: Result) -> dict[str, Any]:
    document = asdict(result)
    document["pass"] = document.pop("passed")
    return document


def _read(path: Path) -> list[Result]:
    try:
        rows = json.loads(path.read_text())
        return [Result(**{**{k: v for k, v in row.items() if k != "pass"}, "passed": row["pass"]}) for row in rows]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _rows_of(page: Path) -> list[Result]:
    """The rows of the page, for a checkout in which nothing was measured before."""
    lines = page.read_text().splitlines() if page.exists() else []
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [_parsed(*cells) for cells in table[1:] if len(cells) == 7]


def _parsed(name: str, unit: str, ours: str, theirs: str, ratio: str, budget: str, outcome: str) -> Result:
    return Result(
        name=name,
        unit=unit,
        ours=_number(ours) or 0.0,
        theirs=_number(theirs),
        ratio=_number(ratio),
        budget=budget,
        passed={"pass": True, "FAIL": False}.get(outcome),
    )


def _number(text: str) -> float | None:
    return float(text.replace(",", "")) if text else None


def _table(results: Sequence[Result], sides: tuple[str, str]) -> str:
    ours_name, theirs_name = sides
    rows = [f"| Measurement | Unit | {ours_name} | {theirs_name} | Ratio | Budget | Result |", f"|{'---|' * 7}"]
    for result in results:
        outcome = {True: "pass", False: "FAIL", None: ""}[result.passed]
        theirs = "" if result.theirs is None else _figure(result.theirs)
        ratio = "" if result.ratio is None else f"{result.ratio:.3f}"
        rows.append(
            f"| {result.name} | {result.unit} | {_figure(result.ours)} | {theirs} | {ratio} | {result.budget} "
            f"| {outcome} |"
        )
    return "\n".join(rows)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:,.2f}"
