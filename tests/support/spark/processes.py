"""The processes below another one, as /proc has them: the JVM, Spark's Python workers, the server of a database."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_DAEMON = "pyspark.daemon"
_EXECUTOR = "CoarseGrainedExecutorBackend"
_LOCAL_ADDRESS, _INODE = 1, 9  # columns of /proc/net/tcp
_STATE, _PARENT, _USER, _SYSTEM, _STARTED = 0, 1, 11, 12, 19  # of /proc/<pid>/stat, after the name
_ZOMBIE = "Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process that is alive, with the CPU time that it has used itself."""

    pid: int
    parent: int
    command: str
    started_ticks: int  # a later process with the same number has another one
    cpu_s: float

    @property
    def is_daemon(self) -> bool:
        """True for the Python process that forks Spark's workers, and for those."""
        return _DAEMON in self.command

    @property
    def is_executor(self) -> bool:
        """True for the JVM of an executor of a cluster."""
        return _EXECUTOR in self.command

    @property
    def own_bytes(self) -> int:
        """Resident memory; of pages that are shared with other processes, this one's part."""
        try:
            lines = Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()
        except OSError:  # it has just ended
            return 0
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def tree(root: int) -> list[Process]:
    """This process and all below it."""
    found = {process.pid: process for process in _all()}
    wanted = {root}
    grew = True
    while grew:
        more = {pid for pid, process in found.items() if process.parent in wanted} - wanted
        wanted |= more
        grew = bool(more)
    return [process for pid, process in found.items() if pid in wanted]


def python_workers(root: int) -> list[Process]:
    """Spark's Python workers below a process, without the daemons that have forked them."""
    found = {process.pid: process for process in tree(root)}
    return [each for each in found.values() if each.is_daemon and each.parent in found and found[each.parent].is_daemon]


def executors(root: int) -> list[Process]:
    """The JVMs of executors below a process."""
    return [process for process in tree(root) if process.is_executor]


def with_local_port(processes: Iterable[Process], ports: set[int]) -> list[Process]:
    """Those of the processes that hold a TCP connection from one of these local ports."""
    sockets = {f"socket:[{inode}]" for port, inode in _connections() if port in ports}
    return [process for process in processes if sockets.intersection(_open_files(process.pid))]


def with_open_file(processes: Iterable[Process], path: Path) -> list[Process]:
    """Those of the processes that have this file open."""
    return [process for process in processes if str(path.resolve()) in _open_files(process.pid)]


def _all() -> Iterator[Process]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                command = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            except OSError:  # it has just ended
                continue
            if fields[_STATE] != _ZOMBIE:
                yield Process(
                    pid=int(folder.name),
                    parent=int(fields[_PARENT]),
                    command=command,
                    started_ticks=int(fields[_STARTED]),
                    cpu_s=(int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS_PER_S,
                )


def _connections() -> Iterator[tuple[int, str]]:
    for name in ("tcp", "tcp6"):
        for line in Path("/proc/net", name).read_text().splitlines()[1:]:
            fields = line.split()
            yield int(fields[_LOCAL_ADDRESS].rpartition(":")[2], 16), fields[_INODE]


def _open_files(pid: int) -> set[str]:
    found = set()
    try:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            found.add(str(link.readlink()))
    except OSError:  # the file was closed or the process has ended meanwhile
        pass
    return found
