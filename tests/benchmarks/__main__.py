"""`make bench`: the same topics copied by us and by MirrorMaker 2, side by side on the same brokers.

`FULL=1` measures every cell, which takes half an hour; `ONLY=cells,latency` chooses parts (`PARTS`), `CELLS="100 B,
zstd"` the cells with that in their name, `FLEET=control,drivers` parts of the fleet; `RUNS=n` measures each side n
times.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.dev_clusters.registry import LocalCluster
from srm_cli.machine.jars import ensure_jars
from tests.benchmarks.catch_up import compare_catch_up
from tests.benchmarks.cells import ALL_CELLS, DEFAULT_CELLS, Cell, Contest, compare
from tests.benchmarks.fleet.fleet_parts import chosen_fleet_parts, measure_fleet
from tests.benchmarks.groups.groups_bench import measure_groups
from tests.benchmarks.latency import compare_latency
from tests.benchmarks.partitions import measure_partitions
from tests.benchmarks.report import Result, write_report
from tests.benchmarks.service.service_bench import measure_service
from tests.benchmarks.sides import BEST_PRODUCER, MirrorMaker, Ours

Runs = tuple[int, int, int]  # of ours, of MM2's best settings, of its defaults
PLAIN_RUNS: Runs = (5, 3, 1)
FURTHER_RUNS: Runs = (3, 1, 1)  # of the fourteen cells that only FULL=1 measures
PARTS = ("cells", "latency", "catch-up", "partitions", "groups", "fleet", "service")
APART = {"partitions", "groups", "fleet", "service"}  # with brokers that nothing else has used
# The brokers are to be as fast as they can: ours and MM2 are the ones measured.
BROKER_OPTIONS = (  # the collector of Kafka's own start script: a serial one stops a broker for 20 ms each second
    "-Xmx1g -XX:TieredStopAtLevel=4 -XX:-UseSerialGC -XX:+UseG1GC -XX:MaxGCPauseMillis=20 "
    "-XX:InitiatingHeapOccupancyPercent=35"
)
MANY_PARTITIONS = {"log.index.size.max.bytes": "65536", "num.partitions": "1"}


def main() -> None:
    home = Path(os.environ.get("SRM_HOME", ".srm")).absolute()
    full = os.environ.get("FULL", "") not in ("", "0")
    parts = _parts(full)
    kafka, mirror = ensure_jars(home, "kafka"), ensure_jars(home, "mirror")
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="srm-bench-") as scratch:
        folder = Path(scratch)
        try:
            if set(parts) - APART:
                with open_clusters(folder / "pair", kafka, {}) as (source, target):
                    pair = source.bootstrap, target.bootstrap
                    results.extend(_beside_mirror_maker(parts, full, mirror, *pair, folder))
            if "partitions" in parts:
                with open_clusters(folder / "wide", kafka, MANY_PARTITIONS) as (source, target):
                    results += measure_partitions(source.bootstrap, target.bootstrap, folder)
            if "groups" in parts:
                with open_clusters(folder / "groups", kafka, {}) as (source, target):
                    results.extend(measure_groups(source, target, mirror, folder))
            for part in chosen_fleet_parts() if "fleet" in parts else ():
                with open_clusters(folder / f"fleet-{part}", kafka, {}) as (source, target):
                    results.extend(measure_fleet(part, source, target, mirror, folder))
            if "service" in parts:
                results.extend(measure_service(folder / "service"))
        finally:  # what was measured before something failed
            write_report(results, home / "bench" / "results.json", _said())
    if any(result.passed is False for result in results):
        sys.exit("some budgets are not met: see FAIL above")


def _parts(full: bool) -> tuple[str, ...]:
    chosen = os.environ.get("ONLY", "")
    parts = tuple(part for part in chosen.split(",") if part) or (PARTS if full else PARTS[:3])
    unknown = set(parts) - set(PARTS)
    if unknown:
        sys.exit(f"ONLY={chosen}: there is no part {', '.join(sorted(unknown))}; parts are {', '.join(PARTS)}")
    return parts


def _beside_mirror_maker(
    parts: tuple[str, ...], full: bool, mirror: Path, source: str, target: str, folder: Path
) -> Iterator[Result]:
    ours, best, default = Ours(), MirrorMaker(mirror, best=True), MirrorMaker(mirror, best=False)
    if "latency" in parts:
        yield from compare_latency(ours, default, _runs(PLAIN_RUNS)[1], source, target, folder)
    if "catch-up" in parts:
        yield from compare_catch_up(ours, best, source, target, folder)
    if "cells" in parts:
        for cell in _cells(full):
            runs = _runs(PLAIN_RUNS if cell in DEFAULT_CELLS else FURTHER_RUNS)
            sides = tuple(zip((ours, best, default), runs, strict=True))
            yield from compare(cell, Contest(sides=sides, source=source, target=target, folder=folder))


def _cells(full: bool) -> list[Cell]:
    named = os.environ.get("CELLS", "")
    chosen = [cell for cell in (ALL_CELLS if full or named else DEFAULT_CELLS) if named in cell.name]
    if not chosen:
        sys.exit(f"CELLS={named}: no cell has that in its name; cells are {'; '.join(cell.name for cell in ALL_CELLS)}")
    return chosen


def _runs(usual: Runs) -> Runs:
    wanted = int(os.environ.get("RUNS", "0"))
    return (wanted, wanted, wanted) if wanted > 0 else usual


@contextmanager
def open_clusters(folder: Path, jars: Path, extra: dict[str, str]) -> Iterator[tuple[LocalCluster, LocalCluster]]:
    """Start a source and a target with brokers as fast as they can be."""
    folder.mkdir()
    clusters = DevClusters(folder, jars, tie_to_parent=True)
    os.environ["_JAVA_OPTIONS"] = BROKER_OPTIONS  # wins over the small footprint that local clusters have otherwise
    try:
        started = clusters.up(["source", "target"], extra=extra)
    finally:
        del os.environ["_JAVA_OPTIONS"]
    try:
        yield started["source"], started["target"]
    finally:
        clusters.stop()


def _said() -> list[str]:
    ours, best, default = _runs(PLAIN_RUNS)
    further = ", ".join(map(str, _runs(FURTHER_RUNS)))
    return [
        "`make bench` measures these figures (`FULL=1` measures every cell) on two cores. The two brokers share the "
        "cores with the process that copies. Topics have JSON values and 8 partitions. MM2 is MirrorMaker 2 4.1.1 in "
        "dedicated mode with a 2 GB heap and `tasks.max=4`. Unless a row says otherwise, it uses its best producer "
        f"settings ({', '.join(BEST_PRODUCER)}). Latency is compared with its default producer (linger 0).",
        f"Figures are medians of {ours} runs of this project, {best} of MM2 with its best settings and {default} with "
        f"its default settings; {further} for the cells that only `FULL=1` measures. Compare the ratios: absolute "
        "figures depend on the machine.",
        "Rows of groups are one run: three rounds follow a first one. Before each round every partition gets a record, "
        "and all groups commit its end. A round reads the commits, writes 100,000 checkpoints, sets all offsets on the "
        "target and judges the groups. The time until all checkpoints are written begins after the last commit and "
        "includes the wait for the next round; a move ends after 180 s. Beside other work on the machine rounds take "
        "longer (tests/benchmarks/README.md).",
        "Rows of the service: each of 50 readers asks once a second, and the time of an answer begins when its request "
        "was due; readers without a pause ask again as soon as they have an answer; each of 500 sockets gets a frame "
        "with 200 changed flows once a second. Other work shared the machine: tests/benchmarks/README.md has the load "
        "and earlier figures.",
        "Rows of `ONLY=fleet make bench` are one run; tests/benchmarks/README.md has its conditions.",
    ]


if __name__ == "__main__":
    main()
