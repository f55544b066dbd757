"""Runs the service's tests on a real PostgreSQL: `python -m tests.support.service_on_postgres [pytest arguments]`."""

import os
import subprocess
import sys

from srm_service.settings.env import TEST_POSTGRES
from tests.support.servers.postgres import running_postgres

_FOLDER = "tests/component/service"


def main(arguments: list[str]) -> int:
    """Return the exit code of pytest; the server is private, and ends with it."""
    chosen = arguments or [_FOLDER]
    if url := os.environ.get("SRM_TEST_POSTGRES_URL"):
        return _run(url, chosen)
    with running_postgres() as server:
        return _run(server.url, chosen)


def _run(url: str, arguments: list[str]) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", *arguments]
    return subprocess.run(command, env={**os.environ, TEST_POSTGRES: url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
