"""The two programs compared: each copies one topic to its end while its CPU and memory are watched from outside."""

import json
import os
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import KafkaError, KafkaException

from replication.domain.names.internal_topic import InternalTopic
from replication.domain.names.internal_topics import INTERNAL_TOPICS
from tests.support.kafka.kafka_records import EndOffsets, create_topic

ROOT = Path(__file__).resolve().parents[2]
POLL_S = 0.03
LIMIT_S = 240.0
BEST_PRODUCER = ("compression.type=lz4", "batch.size=131072", "linger.ms=20")
FROM_SHARE, TO_SHARE = 0.25, 0.97


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The clusters, and an alias that no earlier run used, so that every run starts from nothing."""

    source: str
    target: str
    alias: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One run of one side. CPU is the copying process's own, user and system."""

    records_per_second: float
    cpu_seconds_per_million: float
    resident_mb: float


class Side(ABC):
    """Something that copies a topic."""

    name: str
    project: Path = ROOT  # the checkout whose code runs

    @abstractmethod
    def command(self, pair: Pair, topic: str, partitions: int, folder: Path) -> list[str]:
        """Prepare what it needs and answer how to start it."""

    def measure(self, pair: Pair, topic: str, partitions: int, records: int, folder: Path) -> Measured:
        command = self.command(pair, topic, partitions, folder)
        remote = EndOffsets(pair.target, f"{pair.alias}.{topic}", partitions)
        with closing(remote), running(command, folder / f"{self.name}.log", self.project) as process:
            return _watch(process, lambda: _total(remote), records)


class Ours(Side):
    """The engine of a data worker with one slot."""

    def __init__(self, name: str = "ours", project: Path | None = None) -> None:
        """`project`: another checkout with its own environment in `.venv`; None is this one."""
        self.name = name
        self.project = project or ROOT
        self._python = sys.executable if project is None else str(project / ".venv/bin/python")

    def command(self, pair: Pair, topic: str, partitions: int, folder: Path) -> list[str]:
        create_topic(pair.target, f"{pair.alias}.{topic}", partitions)
        prepare_internal_topics(pair.source, pair.target, pair.alias)
        order = {"source": pair.source, "target": pair.target, "alias": pair.alias, "topics": {topic: partitions}}
        return [self._python, "-m", "tests.benchmarks.copy_with_engine", json.dumps(order)]


def prepare_internal_topics(source: str, target: str, alias: str) -> None:
    """Create the topics that the planner creates for the flow `alias -> alias-target`."""
    for declared in INTERNAL_TOPICS:
        if not declared.is_required:
            continue
        on_target = declared.cluster == "target"
        name = declared.name(alias if on_target else f"{alias}-target")
        _ensure_topic(target if on_target else source, name, declared)


def _ensure_topic(bootstrap: str, name: str, declared: InternalTopic) -> None:
    try:
        create_topic(bootstrap, name, declared.partitions, replicas=1, **_keywords(declared.configs))
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:  # `heartbeats` and `srm-producers` serve all flows
            raise


def _keywords(configs: Mapping[str, str]) -> dict[str, str]:
    return {key.replace(".", "_"): value for key, value in configs.items()}


class MirrorMaker(Side):
    """MirrorMaker 2 in dedicated mode with a 2 GB heap; `best` adds the producer settings that suit it best."""

    def __init__(self, jars: Path, *, best: bool) -> None:
        self.name = "mm2-best" if best else "mm2-default"
        self._jars = jars
        self._best = best

    def command(self, pair: Pair, topic: str, partitions: int, folder: Path) -> list[str]:
        flow = f"{pair.alias}->target"
        lines = [
            f"clusters = {pair.alias}, target",
            f"{pair.alias}.bootstrap.servers = {pair.source}",
            f"target.bootstrap.servers = {pair.target}",
            f"{flow}.enabled = true",
            f"{flow}.topics = {topic}",
            f"{flow}.tasks.max = 4",
            f"target->{pair.alias}.enabled = false",
            f"target->{pair.alias}.emit.heartbeats.enabled = false",
        ]
        topics = ("", "checkpoints.topic.", "heartbeats.topic.", "offset-syncs.topic.")
        lines += [f"{kind}replication.factor = 1" for kind in topics]
        lines += [f"{kind}.storage.replication.factor = 1" for kind in ("offset", "status", "config")]
        if self._best:
            lines += [f"{flow}.producer.override.{setting}" for setting in BEST_PRODUCER]
        properties = folder / f"{self.name}-{pair.alias}.properties"
        properties.write_text("\n".join(lines) + "\n")
        return mirror_maker_command(self._jars, properties)


def mirror_maker_command(jars: Path, properties: Path) -> list[str]:
    """Return the command of MirrorMaker with a 2 GB heap."""
    options = ["-Xmx2g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", f"{jars}/*"]
    return ["java", *options, "org.apache.kafka.connect.mirror.MirrorMaker", str(properties)]


@contextmanager
def running(command: list[str], log: Path, project: Path = ROOT) -> Iterator[subprocess.Popen[bytes]]:
    """The process, ended afterwards in every case."""
    with log.open("ab") as output:
        process = subprocess.Popen(command, cwd=project, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def copied(pair: Pair, topic: str, partitions: int) -> int:
    """Records in the remote topic; 0 while it does not exist."""
    with closing(EndOffsets(pair.target, f"{pair.alias}.{topic}", partitions)) as remote:
        return _total(remote)


def _total(remote: EndOffsets) -> int:
    try:
        return sum(remote())
    except KafkaException:
        return 0


def _watch(process: subprocess.Popen[bytes], count_copied: Callable[[], int], records: int) -> Measured:
    deadline = time.monotonic() + LIMIT_S
    first: tuple[float, float, int] | None = None
    resident = 0.0
    while True:
        if process.poll() is not None:
            raise RuntimeError(f"the copying process ended with code {process.returncode}; see its log")
        if time.monotonic() > deadline:
            raise TimeoutError(f"not level within {LIMIT_S:.0f} s")
        count = count_copied()
        now = (time.monotonic(), cpu_seconds(process.pid), count)
        resident = max(resident, resident_mb(process.pid))
        if first is None and count >= records * FROM_SHARE:
            first = now
        if first is not None and count >= records * TO_SHARE:
            if count == first[2]:
                raise RuntimeError(f"{records} records were copied between two looks: too few to measure")
            return _between(first, now, resident)
        time.sleep(POLL_S)


def _between(first: tuple[float, float, int], last: tuple[float, float, int], resident_mb: float) -> Measured:
    records = last[2] - first[2]
    return Measured(
        records_per_second=records / (last[0] - first[0]),
        cpu_seconds_per_million=(last[1] - first[1]) / records * 1e6,
        resident_mb=resident_mb,
    )


def cpu_seconds(pid: int) -> float:
    """User and system time of a process since its start."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Resident memory of a process in MB (1e6 bytes)."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
