"""The throughput cells: shapes of traffic that both sides copy, and the budget of each."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks.payload import compressed_share, values
from tests.benchmarks.report import Result
from tests.benchmarks.sides import Measured, Pair, Side
from tests.support.kafka.kafka_records import create_topic, produce

PARTITIONS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One shape of traffic. `records_per_batch` is what the source's producer puts into a batch."""

    value_bytes: int
    codec: str
    records_per_batch: int

    @property
    def name(self) -> str:
        size = "1 KB" if self.value_bytes == 1024 else f"{self.value_bytes} B"
        return f"{size}, {self.codec}, {self.records_per_batch} a batch"

    @property
    def records(self) -> int:
        """Enough for a steady rate of both sides, few enough for a run of minutes."""
        if self.records_per_batch == 1:
            return 400_000 if self.value_bytes == 1024 else 800_000
        return 1_000_000 if self.value_bytes == 1024 else 2_000_000

    @property
    def is_raw(self) -> bool:
        """True when the source's batches are large enough to be passed on unchanged."""
        return self.value_bytes * self.records_per_batch >= 64 * 1024

    @property
    def throughput_budget(self) -> float | None:
        """Ours at least so many times MM2's; ADR 13 says why uncompressed batches have budgets of their own."""
        if self.is_raw:
            return 2 if self.codec == "none" else 4
        return 2 if self.value_bytes == 100 and self.records_per_batch <= 10 else None

    @property
    def cpu_budget(self) -> float:
        """Ours at most this share of MM2's per record; ADRs 13 and 14 say why some are not as low as others."""
        if self.is_raw:
            return 1 / 8 if self.codec == "none" else 1 / 12
        return 2 / 5 if self.codec == "zstd" and self.value_bytes == 1024 else 1 / 4


DEFAULT_CELLS = (
    Cell(value_bytes=1024, codec="lz4", records_per_batch=100),
    Cell(value_bytes=1024, codec="none", records_per_batch=100),
    Cell(value_bytes=100, codec="lz4", records_per_batch=10),
    Cell(value_bytes=100, codec="none", records_per_batch=1),
)
ALL_CELLS = tuple(
    Cell(value_bytes=size, codec=codec, records_per_batch=batch)
    for size, codec, batch in itertools.product((1024, 100), ("none", "lz4", "zstd"), (100, 10, 1))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """The measured sides and the number of runs of each."""

    sides: Sequence[tuple[Side, int]]  # ours first, then MM2 with its best and its default settings
    source: str
    target: str
    folder: Path


def compare(cell: Cell, contest: Contest) -> list[Result]:
    """Fill one topic and let each side copy it as often as it should."""
    topic = topic_of(cell)
    fill_topic(contest.source, cell)
    measured: dict[str, list[Measured]] = {side.name: [] for side, _runs in contest.sides}
    for number, (side, run, runs) in enumerate(_by_rounds(contest.sides)):
        alias = f"{topic}-{side.name}-{number}".replace("-", "")
        pair = Pair(source=contest.source, target=contest.target, alias=alias)
        found = side.measure(pair, topic, PARTITIONS, cell.records, contest.folder)
        if run > 0:
            measured[side.name].append(found)
        print(f"{cell.name}: {side.name} {f'run {run} of {runs}' if run else 'warms the brokers'}: {found}", flush=True)
    medians = {name: _median(runs) for name, runs in measured.items()}
    return _results(cell, medians)


def _by_rounds(sides: Sequence[tuple[Side, int]]) -> Iterator[tuple[Side, int, int]]:
    """(side, run, of how many): run 0 of the first side warms the brokers; then sides alternate."""
    yield sides[0][0], 0, 0
    for run in range(1, max(runs for _side, runs in sides) + 1):
        for side, runs in sides:
            if run <= runs:
                yield side, run, runs


def _results(cell: Cell, medians: dict[str, Measured]) -> list[Result]:
    ours, best = medians["ours"], medians["mm2-best"]
    rate, cpu, memory = "records/s", "CPU-s per million records", "MB"
    found = [
        Result.at_least(f"{cell.name}: throughput", rate, ours.records_per_second, best.records_per_second,
                        cell.throughput_budget),
        Result.at_most(f"{cell.name}: CPU", cpu, ours.cpu_seconds_per_million, best.cpu_seconds_per_million,
                       cell.cpu_budget),
        Result.told(f"{cell.name}: resident memory", memory, ours.resident_mb, best.resident_mb),
    ]  # fmt: skip
    default = medians.get("mm2-default")
    if default is not None:
        found += [
            Result.told(f"{cell.name}: throughput against MM2's defaults", rate, ours.records_per_second,
                        default.records_per_second),
            Result.told(f"{cell.name}: CPU against MM2's defaults", cpu, ours.cpu_seconds_per_million,
                        default.cpu_seconds_per_million),
        ]  # fmt: skip
    return found


def topic_of(cell: Cell) -> str:
    """The name of the topic that holds the cell's records."""
    return f"bench-{cell.value_bytes}-{cell.codec}-{cell.records_per_batch}"


def fill_topic(bootstrap: str, cell: Cell) -> None:
    """Create the cell's topic and produce its records."""
    documents = values(cell.value_bytes)
    print(f"{cell.name}: {cell.records:,} records, LZ4 leaves {compressed_share(documents):.0%}", flush=True)
    create_topic(bootstrap, topic_of(cell), PARTITIONS)
    count, batch = len(documents), cell.records_per_batch
    produce(
        bootstrap,
        topic_of(cell),
        ({"value": documents[n % count], "partition": n // (batch * 20) % PARTITIONS} for n in range(cell.records)),
        compression_type=cell.codec,
        batch_num_messages=batch,
        batch_size=max(1024, batch * (cell.value_bytes + 100)),
        linger_ms=20 if batch > 1 else 0,
    )


def _median(measured: Sequence[Measured]) -> Measured:
    columns = [asdict(one) for one in measured]
    return Measured(**{name: median(column[name] for column in columns) for name in columns[0]})
