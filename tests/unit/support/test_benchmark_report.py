"""The page of figures keeps the rows that a run did not measure."""

from pathlib import Path

from tests.benchmarks.report import Result, write_report


def write(folder: Path, *results: Result) -> list[str]:
    write_report(results, folder / "results.json", ["Said."], page=folder / "page.md")
    return (folder / "page.md").read_text().splitlines()


def test_a_later_run_replaces_its_rows_and_keeps_the_others(tmp_path: Path) -> None:
    first = write(tmp_path, Result.limited("groups: round", "s", 8.0, 10), Result.alone("fleet: memory", "MB", 1_640.0))
    (tmp_path / "results.json").unlink()  # as in another checkout

    second = write(tmp_path, Result.limited("groups: round", "s", 12.0, 10))

    assert first[4:] == [
        "| Measurement | Unit | SRM | MM2 | Ratio | Budget | Result |",
        "|---|---|---|---|---|---|---|",
        "| fleet: memory | MB | 1,640 |  |  |  |  |",
        "| groups: round | s | 8.00 |  |  | <= 10 | pass |",
    ]
    assert second[:-1] == first[:-1]
    assert second[-1] == "| groups: round | s | 12.00 |  |  | <= 10 | FAIL |"


def test_throughput_cells_come_first_in_their_order(tmp_path: Path) -> None:
    write(tmp_path, Result.alone("audit", "s", 1.0), Result.alone("1 KB, 100 a batch: CPU", "s", 1.0))

    page = write(tmp_path, Result.alone("1 KB, 1 a batch: CPU", "s", 2.0))

    names = [row.split(" | ")[0] for row in page[6:]]
    assert names == ["| 1 KB, 100 a batch: CPU", "| 1 KB, 1 a batch: CPU", "| audit"]
