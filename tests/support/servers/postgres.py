"""A private PostgreSQL for a test session: made in a temporary folder, ended with it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from srm_cli.machine.ports import free_port

_BINARIES = ("initdb", "pg_ctl")


class RunningPostgres:
    """A separate server in a temporary folder, which a test may stop and start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._data = folder / "data"
        self._port = free_port()
        _hand_over(folder)
        _run(["initdb", "-D", str(self._data), "-U", "srm", "-A", "trust", "--no-sync"], folder)

    @property
    def url(self) -> str:
        return f"postgres://srm@127.0.0.1:{self._port}/postgres"

    @property
    def pid(self) -> int:
        """The server process, the parent of all of its others."""
        return int((self._data / "postmaster.pid").read_text().splitlines()[0])

    def start(self) -> None:
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        log = self._folder / "server.log"
        _run(["pg_ctl", "-D", str(self._data), "-w", "-l", str(log), "-o", options, "start"], self._folder)

    def stop(self) -> None:
        _run(["pg_ctl", "-D", str(self._data), "-w", "-m", "immediate", "stop"], self._folder)


@contextmanager
def running_postgres() -> Iterator[RunningPostgres]:
    """Skips the test where there are no server programs; ends with the block."""
    if not has_server_programs():
        pytest.skip("no PostgreSQL server programs: install them or set SRM_TEST_POSTGRES_URL")
    folder = Path(tempfile.mkdtemp(prefix="srm-pg-"))
    try:
        server = RunningPostgres(folder)
        server.start()
        try:
            yield server
        finally:
            with suppress(subprocess.CalledProcessError):  # the test may have stopped it
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def require_postgres() -> None:
    """Raise UsageError where no server can be used: an ordered PostgreSQL is never skipped."""
    if not (os.environ.get("SRM_TEST_POSTGRES_URL") or has_server_programs()):
        raise pytest.UsageError(
            f"SRM_TEST_DATABASE=postgresql: {' or '.join(_BINARIES)} is not on the PATH; "
            "install PostgreSQL's server programs or set SRM_TEST_POSTGRES_URL"
        )


def has_server_programs() -> bool:
    return all(shutil.which(binary) for binary in _BINARIES)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """`postgres://...` of an empty database; `SRM_TEST_POSTGRES_URL` names one that runs already."""
    if url := os.environ.get("SRM_TEST_POSTGRES_URL"):
        yield url
        return
    with running_postgres() as server:
        yield server.url


def _hand_over(folder: Path) -> None:
    """PostgreSQL refuses to run as root: give the folder to another user."""
    if os.geteuid() == 0:
        other = pwd.getpwnam(_other_user())
        os.chown(folder, other.pw_uid, other.pw_gid)


def _run(command: list[str], folder: Path) -> None:
    user = _other_user() if os.geteuid() == 0 else None
    subprocess.run(command, user=user, cwd=folder, check=True, capture_output=True, timeout=60)


def _other_user() -> str:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"
