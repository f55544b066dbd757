"""`make bench`: the same topics copied by us and by MirrorMaker 2, side by side on the same brokers."""

import os
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from srm_cli.dev_clusters.lifecycle import DevClusters
from srm_cli.jars import ensure_jars
from tests.benchmarks.report import Result, write_report
from tests.benchmarks.sides import Measured, MirrorMaker, Ours, Pair, Side
from tests.support.kafka_records import create_topic, produce

PARTITIONS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One shape of traffic. `records_per_batch` is what the source's producer puts into a batch."""

    name: str
    value_bytes: int
    codec: str
    records_per_batch: int
    records: int
    throughput_budget: float  # ours at least so many times MM2's
    cpu_budget: float  # ours at most this share of MM2's


CELLS = (
    Cell(name="1 KB, lz4, 96 a batch", value_bytes=1024, codec="lz4", records_per_batch=96, records=1_000_000,
         throughput_budget=4, cpu_budget=1 / 15),
    Cell(name="1 KB, none, 96 a batch", value_bytes=1024, codec="none", records_per_batch=96, records=600_000,
         throughput_budget=4, cpu_budget=1 / 15),
)  # fmt: skip


def main() -> None:
    home = Path(os.environ.get("SRM_HOME", ".srm")).absolute()
    runs = int(os.environ.get("RUNS", "1"))
    kafka, mirror = ensure_jars(home, "kafka"), ensure_jars(home, "mirror")
    sides: tuple[Side, ...] = (Ours(), MirrorMaker(mirror, best=True), MirrorMaker(mirror, best=False))
    with tempfile.TemporaryDirectory(prefix="srm-bench-") as scratch:
        folder = Path(scratch)
        clusters = DevClusters(folder, kafka, tie_to_parent=True)
        try:
            started = clusters.up(["source", "target"])
            source, target = started["source"].bootstrap, started["target"].bootstrap
            results = [result for cell in CELLS for result in _compare(cell, sides, source, target, runs, folder)]
        finally:
            clusters.stop()
    write_report(results, home / "bench" / "results.json", runs)


def _compare(cell: Cell, sides: Sequence[Side], source: str, target: str, runs: int, folder: Path) -> list[Result]:
    topic = f"bench-{cell.value_bytes}-{cell.codec}-{cell.records_per_batch}"
    print(f"{cell.name}: writing {cell.records:,} records", flush=True)
    create_topic(source, topic, PARTITIONS)
    _fill(source, topic, cell)
    medians: dict[str, Measured] = {}
    for side in sides:
        measured = []
        for run in range(runs):
            pair = Pair(source=source, target=target, alias=f"{topic}-{side.name}-{run}".replace("-", ""))
            measured.append(side.measure(pair, topic, PARTITIONS, cell.records, folder))
            print(f"{cell.name}: {side.name} run {run + 1}: {measured[-1]}", flush=True)
        medians[side.name] = _median(measured)
    ours, theirs = medians["ours"], medians["mm2-best"]
    default = medians["mm2-default"]
    return [
        Result.at_least(f"{cell.name}: throughput", "records/s", ours.records_per_second, theirs.records_per_second,
                        cell.throughput_budget),
        Result.at_most(f"{cell.name}: CPU", "s per million records", ours.cpu_seconds_per_million,
                       theirs.cpu_seconds_per_million, cell.cpu_budget),
        Result.told(f"{cell.name}: throughput against MM2's defaults", "records/s", ours.records_per_second,
                    default.records_per_second),
        Result.told(f"{cell.name}: resident memory", "MB", ours.resident_mb, theirs.resident_mb),
    ]  # fmt: skip


def _fill(bootstrap: str, topic: str, cell: Cell) -> None:
    values = [os.urandom(cell.value_bytes // 2) + bytes(cell.value_bytes - cell.value_bytes // 2) for _ in range(64)]
    produce(
        bootstrap,
        topic,
        ({"value": values[n % 64], "partition": n // 2_000 % PARTITIONS} for n in range(cell.records)),
        compression_type=cell.codec,
        batch_num_messages=cell.records_per_batch,
        batch_size=cell.records_per_batch * (cell.value_bytes + 100),
    )


def _median(measured: Sequence[Measured]) -> Measured:
    columns = [asdict(one) for one in measured]
    return Measured(**{name: statistics.median(column[name] for column in columns) for name in columns[0]})


if __name__ == "__main__":
    main()
