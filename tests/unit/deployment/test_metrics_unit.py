"""The systemd unit of the metrics process: what it runs passes every check before Spark starts."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from metrics import main
from metrics.main import RunOptions
from metrics.session import JARS
from metrics.stream.targets import Clusters, TargetsFile
from srm_cli.commands import metrics
from srm_cli.main import srm
from tests.support.deployment.files import make_secrets, units

(UNIT,) = (unit for unit in units() if unit.name == "srm-metrics")


def test_the_metrics_process_may_start_without_a_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets, jars, home = make_secrets(tmp_path / "secrets"), tmp_path / "jars", tmp_path / "home"
    jars.mkdir()
    for name in JARS:
        (jars / name).touch()
    given = {name: value.replace("%d", str(secrets)) for name, value in UNIT.environment.items()}
    for name, value in {**given, "SRM_HOME": str(home), "SRM_METRICS_JARS": str(jars)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SRM_METRICS_DATABASE_URL", "")  # restored after the test: it is read from the secret
    commands: list[tuple[str, ...]] = []
    starts: list[tuple[RunOptions, Clusters]] = []

    def start(options: RunOptions, _file: TargetsFile, clusters: Clusters) -> int:
        starts.append((options, clusters))
        return 0

    monkeypatch.setattr(metrics, "replace_process", lambda command, env: commands.append(command))
    monkeypatch.setattr(main, "_run", start)
    monkeypatch.setattr(main, "_configure_log", lambda: None)  # that of this process stays

    unit = CliRunner().invoke(srm, UNIT.words)
    (command,) = commands
    process = CliRunner().invoke(main.metrics, command[3:])

    assert (unit.exit_code, process.exit_code) == (0, 0), unit.output + process.output
    ((options, clusters),) = starts
    assert options.targets_file == home / "metrics" / "targets.json"
    assert options.store_url == (secrets / "database-url").read_text().strip()
    assert (options.home, options.jars) == (home, jars)
    assert clusters == Clusters()
