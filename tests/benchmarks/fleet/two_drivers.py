"""The two programs as two processes that copy one topic, of which one is killed."""

import re
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns
from srm_cli.machine.ports import free_port
from tests.benchmarks.fleet.drivers_bench import TARGET, open_fleet
from tests.benchmarks.sides import Pair, mirror_maker_command, running
from tests.support.engine.engine_fleet import EngineFleet

TASKS = 4
_TASK = re.compile(r"(Creating|Stopping) task MirrorSourceConnector-(\d+)")
_LOGGED = "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.connect.runtime.Worker=info"


class TwoProcesses(ABC):
    """Copies `Pair.alias -> target` by the processes `one` and `two`, with four tasks."""

    @abstractmethod
    def start(self, name: str) -> None:
        """Start a process; returns before it copies."""

    @abstractmethod
    def kill(self, name: str) -> None:
        """Kill it with SIGKILL."""

    @abstractmethod
    def tasks_of(self, name: str) -> int:
        """Return the number of copying tasks that the process runs."""


class OurTwo(TwoProcesses):
    """Two drivers, each with a control and a data process."""

    def __init__(self, fleet: EngineFleet, pair: Pair, topic: str) -> None:
        self._fleet, self._alias = fleet, pair.alias
        fleet.cluster(pair.alias, pair.source)
        fleet.cluster(TARGET, pair.target)
        flow = DesiredFlow(
            source=pair.alias,
            tasks_max=TASKS,
            topics=NamePatterns(allow=(topic,)),
            connectors=ConnectorSettings(source={"replication.factor": "1"}),
        )
        fleet.publish(TARGET, flow)

    def start(self, name: str) -> None:
        self._fleet.start(name, "control")
        self._fleet.start(name, "data")

    def kill(self, name: str) -> None:
        self._fleet.kill(f"{name}.control")
        self._fleet.kill(f"{name}.data")

    def tasks_of(self, name: str) -> int:
        return list(self._fleet.owners(self._alias, TARGET).values()).count(name)


class MirrorTwo(TwoProcesses):
    """MirrorMaker 2 in dedicated mode; which process runs which task is in its log."""

    def __init__(self, stack: ExitStack, jars: Path, folder: Path, lines: list[str]) -> None:
        self._stack, self._jars, self._folder, self._lines = stack, jars, folder, lines
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        properties = self._folder / f"{name}.properties"
        properties.write_text("\n".join([*self._lines, f"listeners = http://127.0.0.1:{free_port()}"]) + "\n")
        java, *rest = mirror_maker_command(self._jars, properties)
        self._processes[name] = self._stack.enter_context(running([java, _LOGGED, *rest], self._log(name)))

    def kill(self, name: str) -> None:
        self._processes[name].send_signal(signal.SIGKILL)

    def tasks_of(self, name: str) -> int:
        if not self._log(name).exists():
            return 0
        is_running = {number: word == "Creating" for word, number in _TASK.findall(self._log(name).read_text())}
        return sum(is_running.values())

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"


@contextmanager
def our_two(pair: Pair, topic: str, folder: Path) -> Iterator[TwoProcesses]:
    with open_fleet(folder) as fleet:
        yield OurTwo(fleet, pair, topic)


@contextmanager
def mirror_two(pair: Pair, topic: str, folder: Path, jars: Path, delay_ms: int | None) -> Iterator[TwoProcesses]:
    """`delay_ms` is the rebalance delay; None for its default, five minutes."""
    folder.mkdir()
    flow = f"{pair.alias}->target"
    factors = ("", "checkpoints.topic.", "heartbeats.topic.", "offset-syncs.topic.")
    lines = [
        f"clusters = {pair.alias}, target",
        f"{pair.alias}.bootstrap.servers = {pair.source}",
        f"target.bootstrap.servers = {pair.target}",
        f"{flow}.enabled = true",
        f"{flow}.topics = {topic}",
        f"{flow}.tasks.max = {TASKS}",
        f"target->{pair.alias}.enabled = false",
        f"target->{pair.alias}.emit.heartbeats.enabled = false",
        "dedicated.mode.enable.internal.rest = true",
        *(f"{kind}replication.factor = 1" for kind in factors),
        *(f"{kind}.storage.replication.factor = 1" for kind in ("offset", "status", "config")),
    ]
    if delay_ms is not None:
        lines.append(f"target.scheduled.rebalance.max.delay.ms = {delay_ms}")  # without the alias it has no effect
    with ExitStack() as stack:
        yield MirrorTwo(stack, jars, folder, lines)
