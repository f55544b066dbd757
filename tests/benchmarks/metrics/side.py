"""The checkouts whose metrics processes are compared: this one, and an earlier one where `OTHER` names its folder."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.support.metrics.metrics_process import REPOSITORY, MetricsProcess


@dataclass(frozen=True, slots=True)
class Side:
    """A checkout; another one has its environment in `.venv`."""

    name: str
    repository: Path = REPOSITORY

    def process(
        self,
        home: Path,
        jars: Path,
        *,
        bootstrap: str,
        postgres: str | None = None,
        trigger_ms: int = 1_000,
        max_offsets: int | None = None,
    ) -> MetricsProcess:
        """A process of this checkout that is not started yet, with an empty store that its own migrations have made."""
        process = MetricsProcess(
            home, jars, None, postgres, trigger_ms, repository=self.repository, max_offsets=max_offsets
        )
        process.write_targets(b=bootstrap)
        if postgres is not None:
            with psycopg.connect(postgres, autocommit=True) as connection:
                connection.execute("CREATE SCHEMA IF NOT EXISTS metrics")
        environment = {
            **os.environ,
            "SRM_HOME": str(home),
            "DJANGO_SETTINGS_MODULE": "srm_service.settings.local",
            "SRM_DJANGO_SECRET_KEY": "of the benchmark only: no user signs in",
            "SRM_METRICS_DATABASE_URL": postgres or f"sqlite:///{process.store}",
        }
        command = [process.python, "manage.py", "migrate", "--database", "metrics", "--verbosity", "0", "--skip-checks"]
        subprocess.run(command, cwd=self.repository, env=environment, check=True)
        return process


THIS = Side("this")


def sides() -> tuple[Side, ...]:
    """This checkout, and the one in the folder that the environment names as `OTHER`."""
    folder = os.environ.get("OTHER")
    if not folder:
        return (THIS,)
    other = Side("other", Path(folder).resolve())
    if not Path(MetricsProcess(Path(), Path(), repository=other.repository).python).exists():
        sys.exit(f"{folder} is no checkout with an environment in .venv: run `make install-dev` there")
    return (THIS, other)
