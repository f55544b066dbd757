"""Benchmark results as a table, as docs/benchmarks.md and as JSON for programs."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One figure: ours beside theirs. `passed` is None where no budget is set."""

    name: str
    unit: str
    ours: float
    theirs: float
    ratio: float
    budget: str
    passed: bool | None

    @classmethod
    def at_least(cls, name: str, unit: str, ours: float, theirs: float, times: float) -> "Result":
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
        return cls(name=name, unit=unit, ours=ours, theirs=theirs, ratio=ours / theirs, budget="", passed=None)


def write_report(results: Sequence[Result], path: Path, runs: int) -> None:
    """Print the table, write the page and the JSON file."""
    table = _table(results)
    print(table)
    path.parent.mkdir(parents=True, exist_ok=True)
    documents = [{**asdict(result), "pass": result.passed} for result in results]
    path.write_text(json.dumps(documents, indent=1) + "\n")
    PAGE.write_text(
        "# Benchmarks\n\nMeasured by `make bench` on two cores that the two brokers share with the copying process;\n"
        f"medians of {runs} run(s). Theirs is MirrorMaker 2 4.1.1, dedicated mode, 2 GB heap, four tasks, with its\n"
        "best producer settings (lz4, 128 kB batches, 20 ms linger) unless the row says otherwise. Read the ratios;\n"
        f"the absolute figures belong to the machine.\n\n{table}\n"
    )


def _table(results: Sequence[Result]) -> str:
    rows = ["| what | unit | ours | theirs | ratio | budget | |", "|---|---|---|---|---|---|---|"]
    for result in results:
        verdict = {True: "pass", False: "FAIL", None: ""}[result.passed]
        rows.append(
            f"| {result.name} | {result.unit} | {result.ours:,.2f} | {result.theirs:,.2f} | {result.ratio:.3f} "
            f"| {result.budget} | {verdict} |"
        )
    return "\n".join(rows)
