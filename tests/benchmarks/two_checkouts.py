"""`python -m tests.benchmarks.two_checkouts OTHER`: the engine of this checkout beside the one in the folder OTHER.

Both copy the same topics on the same brokers alternately. OTHER needs its own environment in `OTHER/.venv`, for
example a git worktree of an earlier commit after `make install-dev`. `RUNS=n` measures each side n times, 7 unless set;
`CELLS="1 KB, lz4"` chooses cells by name, and the raw-path cells are measured unless it is set.
"""

import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from srm_cli.machine.jars import ensure_jars
from tests.benchmarks.__main__ import open_clusters
from tests.benchmarks.cells import ALL_CELLS, PARTITIONS, Cell, fill_topic, topic_of
from tests.benchmarks.sides import Measured, Ours, Pair

RUNS = 7


def main() -> None:
    """Print the CPU per million records of both sides, and the ratio of the medians, for each cell."""
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / ".venv/bin/python").exists():
        sys.exit(
            "usage: python -m tests.benchmarks.two_checkouts OTHER, a checkout with its environment in OTHER/.venv"
        )
    sides = (Ours("this"), Ours("other", Path(sys.argv[1]).resolve()))
    runs = int(os.environ.get("RUNS", RUNS))
    home = Path(os.environ.get("SRM_HOME", ".srm")).absolute()
    with tempfile.TemporaryDirectory(prefix="srm-bench-") as scratch:
        folder = Path(scratch)
        with open_clusters(folder / "pair", ensure_jars(home, "kafka"), {}) as (source, target):
            for cell in _chosen_cells():
                _compare(cell, sides, runs, source.bootstrap, target.bootstrap, folder)


def _chosen_cells() -> list[Cell]:
    named = os.environ.get("CELLS")
    return [cell for cell in ALL_CELLS if (named in cell.name if named else cell.is_raw)]


def _compare(cell: Cell, sides: tuple[Ours, Ours], runs: int, source: str, target: str, folder: Path) -> None:
    topic = topic_of(cell)
    fill_topic(source, cell)
    measured: dict[str, list[Measured]] = {side.name: [] for side in sides}
    for run in range(runs + 1):  # run 0 warms the brokers
        for side in sides if run % 2 else reversed(sides):
            pair = Pair(source=source, target=target, alias=f"{topic}-{side.name}-{run}".replace("-", ""))
            found = side.measure(pair, topic, PARTITIONS, cell.records, folder)
            if run:
                measured[side.name].append(found)
    cpu = {name: median(found.cpu_seconds_per_million for found in runs) for name, runs in measured.items()}
    rate = {name: median(found.records_per_second for found in runs) for name, runs in measured.items()}
    print(
        f"{cell.name}: CPU-s per million records {cpu['this']:.3f} against {cpu['other']:.3f} "
        f"(x {cpu['this'] / cpu['other']:.3f}), records/s {rate['this']:,.0f} against {rate['other']:,.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
